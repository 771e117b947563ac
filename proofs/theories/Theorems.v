(** The theorems: what follows when a checker says [true].

    They speak of tables and automata. They say nothing about weights: that a network computes the
    table that a certificate lists is checked by [lengthwise certify --check], not here. *)

From Coq Require Import List NArith Arith Bool Lia.
From Lengthwise Require Import Words Data Arrays TreeChecker TreeSound Recurrence.
Import ListNotations.
Local Open Scope N_scope.

Lemma levels_follow_at T E count : levels_follow T E count = true ->
  forall c, (c < count)%nat ->
  level_follows T E (c =? 0)%nat (level_of E c) (level_of E (next_level E c)) = true.
Proof.
  unfold levels_follow. rewrite forallb_forall. intros H c Hc. apply H, in_seq. lia.
Qed.

(** The tree gives every word of the domain its class, at every length. *)
Theorem tree_right (T : tree) (L : language) (E : evidence) :
  check_tree T L E = true ->
  forall w : word, is_word L w -> in_domain L w ->
  tree_class T w = Some (class_of (answers L) w).
Proof.
  unfold check_tree. rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt.
  intros [[[H1 H2] H3] H4] w Hw Hd.
  assert (Below : forall l, (at_level E l < length (levels E))%nat).
  { induction l as [|l IH]; simpl; [lia|]. unfold next_level.
    destruct (Nat.ltb_spec (S (at_level E l)) (length (levels E))); lia. }
  assert (First : forall l, (at_level E l =? 0)%nat = (l =? 0)%nat).
  { intros [|l]; auto. simpl. unfold next_level.
    destruct (Nat.ltb_spec (S (at_level E l)) (length (levels E))); auto.
    apply Nat.eqb_neq. lia. }
  assert (HC : (2 <= chunk T)%nat).
  { unfold begins_well in H1. rewrite !andb_true_iff, Nat.leb_le in H1. tauto. }
  apply (all_right T L E H1 (S (length w))); auto; [| |lia].
  - intros l _. rewrite <- First. simpl. apply (levels_follow_at _ _ _ H4), Below.
  - apply Nat.lt_le_incl, Nat.lt_trans with (chunk T ^ length w)%nat.
    + apply Nat.pow_gt_lin_r. lia.
    + apply Nat.pow_lt_mono_r; lia.
Qed.

(** The same for words of at most C ^ (number of levels - 1) symbols. *)
Theorem tree_right_up_to (T : tree) (L : language) (E : evidence) :
  check_tree_up_to T L E = true ->
  forall w : word, is_word L w -> in_domain L w ->
  (length w <= chunk T ^ pred (length (levels E)))%nat -> (2 <= length (levels E))%nat ->
  tree_class T w = Some (class_of (answers L) w).
Proof.
  unfold check_tree_up_to. rewrite andb_true_iff. intros [H1 H2] w Hw Hd Hlen Hnum.
  set (bound := pred (length (levels E))) in *.
  assert (Same : forall l, (l <= bound)%nat -> at_level E l = l).
  { induction l as [|l IH]; intros Hl; auto. simpl. rewrite IH by lia. unfold next_level.
    destruct (Nat.ltb_spec (S l) (length (levels E))); [auto | unfold bound in Hl; lia]. }
  apply (all_right T L E H1 bound); auto; [|unfold bound; lia].
  intros l Hl. simpl. rewrite Same by lia. apply (levels_follow_at _ _ _ H2). exact Hl.
Qed.

(** A network that reads symbol by symbol gives every word of the domain its class. *)
Theorem recurrence_is_right (R : recurrence) (L : language) (P : prefixes) :
  check_recurrence R L P = true ->
  forall w : word, is_word L w -> in_domain L w ->
  recurrence_class R w = Some (class_of (answers L) w).
Proof. intros H w. now apply recurrence_right with P. Qed.

(** * Words that are wrong *)

(** A word of the domain that gets another class than its own. *)
Definition wrong (given : word -> option N) (L : language) (w : word) : Prop :=
  is_word L w /\ in_domain L w
  /\ exists c, given w = Some c /\ c <> class_of (answers L) w.

Definition check_wrong (given : word -> option N) (L : language) (w : word) : bool :=
  forallb (fun a => a <? num_symbols L) w
  && (class_of (domain L) w =? 1)
  && match given w with
     | Some c => negb (c =? class_of (answers L) w)
     | None => false
     end.

Theorem word_is_wrong (given : word -> option N) (L : language) (w : word) :
  check_wrong given L w = true -> wrong given L w.
Proof.
  unfold check_wrong, wrong, is_word, in_domain.
  rewrite !andb_true_iff, forallb_forall, N.eqb_eq, Forall_forall.
  intros [[H1 H2] H3]. repeat split; auto.
  - intros a Ha. now apply N.ltb_lt, H1.
  - destruct (given w) as [c|]; [|discriminate]. exists c. split; auto.
    apply N.eqb_neq. now apply negb_true_iff.
Qed.

Print Assumptions tree_right.
Print Assumptions tree_right_up_to.
Print Assumptions recurrence_is_right.
Print Assumptions word_is_wrong.
