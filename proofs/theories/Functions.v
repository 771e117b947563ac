(* From classes of words to the outputs of a function.

   A bimachine writes at every position what a table has for the state of its left automaton after
   the symbols before it, the symbol, and the state of its right automaton after the symbols that
   follow, read from the end. One automaton reads both ways: its state is a triple, and its class a
   pair. A network that gives every word its class under that automaton therefore writes every
   output: that of the class of the prefix that ends at the position, and of what follows it,
   reversed. *)

From Coq Require Import List.
Import ListNotations.

Section Bimachine.

Variables symbol left_state right_state output half kind : Type.
Variables (left : left_state -> symbol -> left_state) (left_start : left_state).
Variables (right : right_state -> symbol -> right_state) (right_start : right_state).
Variable table : left_state -> symbol -> right_state -> output.

(* What a network learns: which row of the table a left state and a symbol have, and which column a
   right state has. The class of the empty prefix is free. *)
Variables (row : left_state -> symbol -> half) (free : half).
Variable column : right_state -> kind.
Variable answer : half -> kind -> output.

Hypothesis answer_is_table : forall l x r, answer (row l x) (column r) = table l x r.

Definition state : Type := left_state * half * right_state.

Definition step (s : state) (x : symbol) : state :=
  let '(l, _, r) := s in (left l x, row l x, right r x).

Definition run (w : list symbol) : state := fold_left step w (left_start, free, right_start).

Definition class_of (w : list symbol) : half * kind :=
  let '(_, h, r) := run w in (h, column r).

(* The output of the function at the symbol x between u and v. *)
Definition output_at (u : list symbol) (x : symbol) (v : list symbol) : output :=
  table (fold_left left u left_start) x (fold_left right (rev v) right_start).

Lemma run_ends_in_both_states : forall w,
  exists h, run w = (fold_left left w left_start, h, fold_left right w right_start).
Proof.
  intro w; induction w as [| x w IH] using rev_ind.
  - exists free. reflexivity.
  - destruct IH as [h IH]. exists (row (fold_left left w left_start) x).
    unfold run in *. rewrite !fold_left_app, IH. reflexivity.
Qed.

(* A network for which a certificate holds: it gives every word its class. *)
Theorem every_output_is_right : forall network : list symbol -> half * kind,
  (forall w, network w = class_of w) ->
  forall u x v,
  answer (fst (network (u ++ [x]))) (snd (network (rev v))) = output_at u x v.
Proof.
  intros network right_on_words u x v.
  rewrite !right_on_words. unfold class_of, output_at.
  destruct (run_ends_in_both_states u) as [h at_u].
  destruct (run_ends_in_both_states (rev v)) as [h' at_v].
  replace (run (u ++ [x])) with (step (run u) x)
    by (unfold run; rewrite fold_left_app; reflexivity).
  rewrite at_u, at_v. simpl. apply answer_is_table.
Qed.

End Bimachine.

Print Assumptions every_output_is_right.
