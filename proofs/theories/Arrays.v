(** Lemmas about arrays, states and indices, on which the checkers of trees and recurrences rest. *)

From Coq Require Import List NArith Arith Bool FMapPositive Lia.
From Lengthwise Require Import Words Data.
Import ListNotations.
Local Open Scope N_scope.

Lemma get_put_same {A} i (x : A) a : get (put i x a) i = Some x.
Proof. apply PositiveMap.gss. Qed.

Lemma succ_pos_inj i j : N.succ_pos i = N.succ_pos j -> i = j.
Proof. intros H. apply (f_equal Npos) in H. rewrite !N.succ_pos_spec in H. lia. Qed.

Lemma get_put_other {A} i j (x : A) a : i <> j -> get (put i x a) j = get a j.
Proof. intros H. apply PositiveMap.gso. intros E. apply H. symmetry. now apply succ_pos_inj. Qed.

Lemma get_array_from {A} (xs : list A) : forall i j,
  get (array_from i xs) (i + N.of_nat j) = nth_error xs j.
Proof.
  induction xs as [|x xs IH]; intros i j; simpl.
  - unfold get. rewrite PositiveMap.gempty. now destruct j.
  - destruct j as [|j]; simpl nth_error.
    + rewrite N.add_0_r. apply get_put_same.
    + rewrite get_put_other by lia. rewrite <- (IH (N.succ i)). f_equal. lia.
Qed.

(** * States *)

Definition up_to (n : N) : list N := map N.of_nat (seq 0 (N.to_nat n)).

Lemma in_up_to n s : In s (up_to n) <-> s < n.
Proof.
  unfold up_to. rewrite in_map_iff. split.
  - intros (j & <- & H). apply in_seq in H. lia.
  - intros H. exists (N.to_nat s). split; [lia|]. apply in_seq. lia.
Qed.

Lemma at_array_of_up_to (f : N -> N) n s :
  s < n -> at_ 0 (array_of (map f (up_to n))) s = f s.
Proof.
  intros H. unfold at_, array_of.
  replace s with (0 + N.of_nat (N.to_nat s)) at 1 by lia.
  rewrite get_array_from. unfold up_to. rewrite map_map, nth_error_map.
  assert (E : nth_error (seq 0 (N.to_nat n)) (N.to_nat s) = Some (N.to_nat s)).
  { rewrite nth_error_nth' with (d := O) by (rewrite seq_length; lia).
    rewrite seq_nth by lia. reflexivity. }
  rewrite E. simpl. now rewrite N2Nat.id.
Qed.

(** * Relations by their first element *)

Fixpoint index {B} (pairs : list (N * B)) : array (list B) :=
  match pairs with
  | [] => PositiveMap.empty _
  | (k, b) :: rest => let a := index rest in put k (b :: at_ [] a k) a
  end.

Lemma in_index {B} (pairs : list (N * B)) k b : In b (at_ [] (index pairs) k) -> In (k, b) pairs.
Proof.
  induction pairs as [|[k' b'] pairs IH]; simpl.
  - unfold at_, get. rewrite PositiveMap.gempty. contradiction.
  - unfold at_ at 1. destruct (N.eq_dec k' k) as [->|Hk].
    + rewrite get_put_same. simpl. intros [->|H]; auto.
    + rewrite get_put_other by assumption. intros H. right. apply IH, H.
Qed.

Definition has {B} (same : B -> B -> bool) (found : array (list B)) (k : N) (b : B) : bool :=
  existsb (same b) (at_ [] found k).

Lemma has_in {B} (same : B -> B -> bool) (pairs : list (N * B)) k b :
  (forall x y, same x y = true -> x = y) -> has same (index pairs) k b = true -> In (k, b) pairs.
Proof.
  intros Hsame H. apply existsb_exists in H as (b' & Hin & Hb). apply Hsame in Hb. subst b'.
  now apply in_index.
Qed.

Fixpoint same_list (xs ys : list N) : bool :=
  match xs, ys with
  | [], [] => true
  | x :: xs, y :: ys => if x =? y then same_list xs ys else false
  | _, _ => false
  end.

Lemma same_list_eq xs : forall ys, same_list xs ys = true -> xs = ys.
Proof.
  induction xs as [|x xs IH]; intros [|y ys]; simpl; try discriminate; auto.
  destruct (N.eqb_spec x y); [|discriminate]. intros H. f_equal; auto.
Qed.

Definition same_pair (p q : N * N) : bool := (fst p =? fst q) && (snd p =? snd q).

Lemma same_pair_eq p q : same_pair p q = true -> p = q.
Proof.
  destruct p, q. unfold same_pair. simpl. rewrite andb_true_iff, !N.eqb_eq. intros [-> ->].
  reflexivity.
Qed.

Lemma neqb_eq x y : (x =? y) = true -> x = y.
Proof. apply N.eqb_eq. Qed.

(** * Automata *)

Lemma run_app M x : forall s y, run M s (x ++ y) = run M (run M s x) y.
Proof. induction x as [|a x IH]; intros s y; simpl; auto. Qed.

Definition symbols_of (L : language) := up_to (num_symbols L).

Definition closed (M : automaton) (n : N) (L : language) : bool :=
  (start M <? n)
  && forallb (fun s => forallb (fun a => next M s a <? n) (symbols_of L)) (up_to n).

Lemma run_below M n L : closed M n L = true ->
  forall w s, s < n -> is_word L w -> run M s w < n.
Proof.
  unfold closed. rewrite andb_true_iff, forallb_forall. intros [_ H].
  induction w as [|a w IH]; intros s Hs Hw; simpl; auto.
  inversion Hw; subst. apply IH; auto.
  specialize (H s). rewrite in_up_to, forallb_forall in H. specialize (H Hs a).
  unfold symbols_of in H. rewrite in_up_to, N.ltb_lt in H. auto.
Qed.

Lemma start_below M n L : closed M n L = true -> start M < n.
Proof. unfold closed. rewrite andb_true_iff, N.ltb_lt. tauto. Qed.

(** * The machine of a certificate: one automaton for a language and its domain

    [matched] has (state of the answers, state of the domain, state of the machine) of all words.
    Words outside the domain have a class of [outside] or more. *)

Definition matches (L : language) (M : automaton) (outside : N) (matched : list (N * (N * N)))
  : bool :=
  let A := answers L in
  let D := domain L in
  let known := index matched in
  has same_pair known (start A) (start D, start M)
  && forallb
       (fun '(a, (d, m)) =>
          forallb
            (fun x => has same_pair known (next A a x) (next D d x, next M m x))
            (symbols_of L)
          && (if class D d =? 1
              then (class M m =? class A a) && (class M m <? outside)
              else true))
       matched.

Lemma matches_sound L M outside matched : matches L M outside matched = true ->
  forall w, is_word L w -> in_domain L w ->
  class_of M w = class_of (answers L) w /\ class_of M w < outside.
Proof.
  unfold matches. rewrite andb_true_iff, forallb_forall. intros [H0 H].
  apply has_in in H0; [|exact same_pair_eq].
  assert (R : forall w a d m, is_word L w -> In (a, (d, m)) matched ->
      In (run (answers L) a w, (run (domain L) d w, run M m w)) matched).
  { induction w as [|x w IH]; intros a d m Hw Hin; simpl; auto.
    inversion Hw; subst. apply IH; auto.
    specialize (H _ Hin). simpl in H. rewrite andb_true_iff, forallb_forall in H.
    destruct H as [Hx _]. eapply has_in; [exact same_pair_eq|]. apply Hx.
    apply in_up_to. assumption. }
  intros w Hw Hd. specialize (R w _ _ _ Hw H0). specialize (H _ R). simpl in H.
  rewrite andb_true_iff in H. destruct H as [_ H]. unfold in_domain, class_of in *.
  rewrite Hd, N.eqb_refl, andb_true_iff, N.eqb_eq, N.ltb_lt in H. exact H.
Qed.
