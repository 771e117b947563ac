(** The checkers of weights, and the theorems about networks.

    A certificate lists a code for each element of a table. The checker computes every entry of the
    table again from the weights, in exact arithmetic; so the network does what its table says, and
    what is proved of the table holds of the network. *)

From Coq Require Import List NArith Arith QArith Bool Lia.
From Lengthwise Require Import Words Data Arrays TreeChecker TreeSound Recurrence Theorems.
From Lengthwise Require Import Networks QuickSums.
Import ListNotations.
Local Open Scope N_scope.

Definition code := list bool.

Fixpoint same_code (x y : code) : bool :=
  match x, y with
  | [], [] => true
  | a :: x, b :: y => if Bool.eqb a b then same_code x y else false
  | _, _ => false
  end.

Lemma same_code_eq x : forall y, same_code x y = true -> x = y.
Proof.
  induction x as [|a x IH]; intros [|b y]; simpl; try discriminate; auto.
  destruct (Bool.eqb a b) eqn:E; [|discriminate]. apply eqb_prop in E. intros H. f_equal; auto.
Qed.

(** The entry of a table says nothing, or what is so. *)
Definition agrees {A} (same : A -> bool) (found : option A) : bool :=
  match found with Some x => same x | None => true end.

Lemma agrees_some {A} (same : A -> bool) x : agrees same (Some x) = same x.
Proof. reflexivity. Qed.

Definition is_class (claimed : N) (found : option N) : bool :=
  match found with Some c => c =? claimed | None => false end.

Lemma is_class_eq claimed found : is_class claimed found = true -> found = Some claimed.
Proof. destruct found; simpl; [intros H; apply N.eqb_eq in H; now subst | discriminate]. Qed.

(** * Trees *)

(** All lists of some elements. *)
Fixpoint lists_of (count : nat) (elements : list N) : list (list N) :=
  match count with
  | O => [[]]
  | S count =>
      flat_map (fun rest => map (fun e => e :: rest) elements) (lists_of count elements)
  end.

Lemma in_lists_of elements xs : (forall x, In x xs -> In x elements) ->
  In xs (lists_of (length xs) elements).
Proof.
  induction xs as [|x xs IH]; intros H; simpl; [auto|].
  apply in_flat_map. exists xs. split; [apply IH; intros; apply H; simpl; auto|].
  apply in_map_iff. exists x. split; auto. apply H. simpl. auto.
Qed.

Section Trees.

Variables (net : tree_network) (num_symbols : N) (codes : list code) (T : tree).

Let compose := compose quick_plus quick_times net.
Let class_of_node := class_of_node quick_plus quick_times net.

(** The code of an element after level 0; elements are numbered from 1. *)
Definition code_number (e : N) : code := nth (N.to_nat (N.pred e)) codes [].

Definition num_codes : N := N.of_nat (length codes).

Definition is_code (found : code) (e : N) : bool :=
  (1 <=? e) && (e <=? num_codes) && same_code (code_number e) found.

(** The node of an element of level 0, and of a later one. *)
Definition leaf (e : N) : node := if e =? 0 then Pad else Symbol (N.pred e).
Definition inner (e : N) : node := if e =? 0 then Pad else Code (code_number e).

Definition check_chunk (of_element : N -> node) (t : table) (chunk : list N) : bool :=
  match interior t chunk, edge t chunk with
  | None, None => true
  | found, other =>
      let result := compose (map of_element chunk) in
      agrees (is_code result) found && agrees (is_code result) other
  end.

Definition check_table (of_element : N -> node) (most : N) (t : table) : bool :=
  forallb (check_chunk of_element t) (lists_of (chunk T) (up_to (N.succ most)))
  && forallb
       (fun e => agrees (fun c => is_class c (class_of_node (inner e))) (reading t e))
       (map N.succ (up_to num_codes)).

Definition check_weights : bool :=
  (places net =? chunk T)%nat
  && (1 <=? chunk T)%nat
  && (1 <=? repeat_from T)%nat
  && match tables T with
     | [] => true
     | first :: others =>
         check_table leaf num_symbols first && forallb (check_table inner num_codes) others
     end
  && agrees (fun c => is_class c (class_of_node (Code (compose (repeat Pad (places net))))))
       (empty_class T).

Hypothesis accepted : check_weights = true.

Definition of_level (l : nat) : N -> node := match l with O => leaf | S _ => inner end.
Definition most_of_level (l : nat) : N := match l with O => num_symbols | S _ => num_codes end.

Lemma phase_after l : (1 <= phase T (S l))%nat.
Proof.
  unfold check_weights in accepted. rewrite !andb_true_iff, !Nat.leb_le in accepted.
  destruct accepted as [[[_ H] _] _]. simpl. unfold following.
  destruct (_ <? _)%nat; lia.
Qed.

Lemma no_table_checks of_element most : check_table of_element most no_table = true.
Proof.
  unfold check_table. apply andb_true_iff. split; apply forallb_forall; intros; reflexivity.
Qed.

Lemma table_checks l : check_table (of_level l) (most_of_level l) (table_at T l) = true.
Proof.
  pose proof accepted as H. unfold check_weights in H. rewrite !andb_true_iff in H.
  destruct H as [[_ H] _]. unfold table_at. destruct l as [|l].
  - simpl phase. destruct (tables T) as [|t ts]; [apply no_table_checks|].
    apply andb_true_iff in H. apply H.
  - pose proof (phase_after l) as Hp. simpl of_level. simpl most_of_level.
    destruct (phase T (S l)) as [|p]; [lia|].
    destruct (tables T) as [|t ts]; [apply no_table_checks|].
    apply andb_true_iff in H. destruct H as [_ H]. rewrite forallb_forall in H. simpl nth.
    destruct (Nat.lt_ge_cases p (length ts)) as [Hlt|Hge].
    + apply H. now apply nth_In.
    + rewrite nth_overflow by assumption. apply no_table_checks.
Qed.

(** An element of a level stands for a node. *)
Definition stands (l : nat) (e : N) (x : node) : Prop :=
  1 <= e <= most_of_level l /\ x = of_level l e.

Lemma chunk_is_code l chunk_ e (which : table -> list N -> option N) :
  which = interior \/ which = edge ->
  length chunk_ = chunk T -> (forall x, In x chunk_ -> x <= most_of_level l) ->
  which (table_at T l) chunk_ = Some e ->
  stands (S l) e (Code (compose (map (of_level l) chunk_))).
Proof.
  intros Hwhich Hlen Hin He. pose proof (table_checks l) as H. unfold check_table in H.
  apply andb_true_iff in H. destruct H as [H _]. rewrite forallb_forall in H.
  specialize (H chunk_). rewrite <- Hlen in H.
  assert (K : check_chunk (of_level l) (table_at T l) chunk_ = true).
  { apply H, in_lists_of. intros x Hx. apply in_up_to. specialize (Hin x Hx). lia. }
  unfold check_chunk in K.
  assert (C : is_code (compose (map (of_level l) chunk_)) e = true).
  { destruct Hwhich as [-> | ->]; rewrite He in K.
    - apply andb_true_iff in K. apply K.
    - destruct (interior (table_at T l) chunk_); apply andb_true_iff in K; apply K. }
  unfold is_code in C. rewrite !andb_true_iff, !N.leb_le in C. destruct C as [[C1 C2] C3].
  apply same_code_eq in C3. split; [simpl; lia|]. simpl. unfold inner.
  destruct (N.eqb_spec e 0); [lia|]. now rewrite C3.
Qed.

Lemma elements_below l es xs : Forall2 (stands l) es xs -> forall e, In e es -> e <= most_of_level l.
Proof. induction 1 as [|e x es xs [H _] _ IH]; simpl; [tauto|]. intros e' [<-|Hin]; [lia|auto]. Qed.

Lemma nodes_are l es xs : Forall2 (stands l) es xs -> xs = map (of_level l) es.
Proof. induction 1 as [|e x es xs [_ ->] _ IH]; simpl; congruence. Qed.

Lemma level_stands l es xs found : Forall2 (stands l) es xs ->
  level_up (chunk T) (table_at T l) es = Some found ->
  Forall2 (stands (S l)) found (level_above quick_plus quick_times net xs).
Proof.
  intros H Hup. pose proof (elements_below l es xs H) as Hin. rewrite (nodes_are l es xs H). clear H.
  pose proof accepted as A. unfold check_weights in A.
  rewrite !andb_true_iff, Nat.eqb_eq, !Nat.leb_le in A. destruct A as [[[[A HC] _] _] _].
  unfold level_above. rewrite A, chunks_map, map_map. unfold level_up in Hup.
  destruct es as [|e es]; [injection Hup as <-; constructor|].
  destruct (chunks_of_cons (chunk T) es HC e) as (first & others & Hc & Hfirst & Hothers & Hall).
  rewrite Hc in *. cbn [map all_of] in Hup.
  destruct (edge (table_at T l) (padded (chunk T) (e :: first))) as [r|] eqn:He; [|discriminate].
  destruct (all_of (map (interior (table_at T l)) others)) as [rs|] eqn:Hrs; [|discriminate].
  injection Hup as <-.
  assert (Zero : forall k, map (of_level l) (repeat 0 k) = repeat Pad k).
  { intros k. induction k; simpl; [reflexivity|]. rewrite IHk. f_equal. now destruct l. }
  apply Forall2_cons.
  - assert (Padded : repeat Pad (chunk T - length (map (of_level l) (e :: first)))
        ++ map (of_level l) (e :: first) = map (of_level l) (padded (chunk T) (e :: first))).
    { unfold padded. now rewrite map_app, Zero, map_length. }
    rewrite Padded. apply chunk_is_code with edge; auto.
    + unfold padded. rewrite app_length, repeat_length. simpl in *. lia.
    + intros x Hx. unfold padded in Hx. apply in_app_or in Hx. destruct Hx as [Hx|Hx].
      * apply repeat_spec in Hx. subst x. apply N.le_0_l.
      * apply Hin. rewrite Hall. simpl in *. rewrite in_app_iff. tauto.
  - assert (Hin' : forall x, In x (concat others) -> x <= most_of_level l).
    { intros x Hx. apply Hin. rewrite Hall. simpl. rewrite in_app_iff. tauto. }
    clear Hin Hall Hc. revert rs Hrs.
    induction others as [|g others IH]; intros rs Hrs; simpl in Hrs.
    + injection Hrs as <-. constructor.
    + destruct (interior (table_at T l) g) as [q|] eqn:Hq; [|discriminate].
      destruct (all_of (map (interior (table_at T l)) others)) as [qs|] eqn:Hqs; [|discriminate].
      injection Hrs as <-. inversion Hothers as [|? ? Hg Ho]; subst. apply Forall2_cons.
      * assert (Whole : repeat Pad (chunk T - length (map (of_level l) g)) ++ map (of_level l) g
          = map (of_level l) g) by (now rewrite map_length, Hg, Nat.sub_diag).
        rewrite Whole. apply chunk_is_code with interior; auto.
        intros x Hx. apply Hin'. simpl. apply in_app_iff. auto.
      * apply IH; auto. intros x Hx. apply Hin'. simpl. apply in_app_iff. auto.
Qed.

Lemma climb_stands w : Forall (fun a => a < num_symbols) w -> forall l found,
  climb T l (map N.succ w) = Some found ->
  Forall2 (stands l) found (Nat.iter l (level_above quick_plus quick_times net) (map Symbol w)).
Proof.
  intros Hw. induction l as [|l IH]; intros found Hc.
  - injection Hc as <-. simpl Nat.iter. induction Hw as [|a w Ha Hw IH]; simpl; constructor; auto.
    split; [simpl; lia|]. simpl. unfold leaf. destruct (N.eqb_spec (N.succ a) 0); [lia|].
    now rewrite N.pred_succ.
  - cbn [climb] in Hc. destruct (climb T l (map N.succ w)) as [es|] eqn:He; [|discriminate].
    change (Nat.iter (S l) (level_above quick_plus quick_times net) (map Symbol w)) with
      (level_above quick_plus quick_times net
         (Nat.iter l (level_above quick_plus quick_times net) (map Symbol w))).
    apply level_stands with es; auto.
Qed.

Lemma depth_not_0 C n : (1 <= depth C n)%nat.
Proof.
  unfold depth. assert (H : forall fuel l, (1 <= l)%nat -> (1 <= depth_from fuel C n l)%nat).
  { induction fuel as [|fuel IH]; intros l Hl; simpl; auto. destruct (_ <=? _)%nat; auto. }
  apply H. lia.
Qed.

Lemma quick_class w c : Forall (fun a => a < num_symbols) w -> tree_class T w = Some c ->
  network_class_with quick_plus quick_times net w = Some c.
Proof.
  intros Hw. pose proof accepted as A. unfold check_weights in A.
  rewrite !andb_true_iff, Nat.eqb_eq, !Nat.leb_le in A. destruct A as [[[[A HC] _] _] Hempty].
  destruct w as [|a w'].
  - simpl. intros E. rewrite E in Hempty. apply is_class_eq. exact Hempty.
  - set (w := a :: w') in *. change (tree_class T w) with
      (match climb T (depth (chunk T) (length w)) (map N.succ w) with
       | Some [root] => reading (table_at T (pred (depth (chunk T) (length w)))) root
       | _ => None
       end).
    change (network_class_with quick_plus quick_times net w) with
      (match Nat.iter (depth (places net) (length w)) (level_above quick_plus quick_times net)
               (map Symbol w) with
       | [root] => class_of_node root
       | _ => None
       end).
    rewrite A. pose proof (depth_not_0 (chunk T) (length w)) as Hd.
    destruct (climb T (depth (chunk T) (length w)) (map N.succ w)) as [found|] eqn:Hc;
      [|discriminate].
    pose proof (climb_stands w Hw _ _ Hc) as H.
    destruct found as [|root [|]]; try discriminate.
    destruct (depth (chunk T) (length w)) as [|l]; [lia|]. revert H.
    generalize (Nat.iter (S l) (level_above quick_plus quick_times net) (map Symbol w)).
    intros nodes H Hr. inversion H as [|? x ? xs [Hroot Hx] Hxs]; subst. inversion Hxs; subst.
    simpl in Hroot, Hr. pose proof (table_checks l) as K. unfold check_table in K.
    apply andb_true_iff in K. destruct K as [_ K]. rewrite forallb_forall in K.
    specialize (K root). rewrite Hr in K. apply is_class_eq, K.
    apply in_map_iff. exists (N.pred root). split; [lia|]. apply in_up_to. lia.
Qed.

Lemma iter_same (f g : list node -> list node) x count : (forall y, f y = g y) ->
  Nat.iter count f x = Nat.iter count g x.
Proof. intros H. induction count; simpl; auto. rewrite IHcount. apply H. Qed.

(** What the table gives, the network gives. *)
Lemma weights_give_table w c : Forall (fun a => a < num_symbols) w -> tree_class T w = Some c ->
  network_class net w = Some c.
Proof.
  intros Hw Hc. rewrite <- (quick_class w c Hw Hc). unfold network_class, network_class_with.
  symmetry. destruct w as [|a w'].
  - rewrite (compose_same quick_plus quick_times quick_plus_is quick_times_is).
    apply class_of_node_same; [apply quick_plus_is | apply quick_times_is].
  - rewrite (iter_same (level_above quick_plus quick_times net) (level_above Qplus Qmult net)).
    + destruct (Nat.iter _ _ _) as [|root [|]]; auto.
      apply class_of_node_same; [apply quick_plus_is | apply quick_times_is].
    + intros y. unfold level_above. apply map_ext. intros g. f_equal.
      apply compose_same; [apply quick_plus_is | apply quick_times_is].
Qed.

End Trees.

(** A network whose weights give a table answers as the table does. *)
Theorem network_as_table (net : tree_network) (codes : list code) (T : tree) (L : language) :
  check_weights net (num_symbols L) codes T = true ->
  forall w : word, is_word L w -> forall c, tree_class T w = Some c ->
  network_class net w = Some c.
Proof. intros H w Hw c Hc. now apply weights_give_table with (num_symbols L) codes T. Qed.

(** The main theorem: a network whose weights give a table, which is right, is right. *)
Theorem network_right (net : tree_network) (codes : list code) (T : tree) (L : language)
  (E : evidence) :
  check_weights net (num_symbols L) codes T = true -> check_tree T L E = true ->
  forall w : word, is_word L w -> in_domain L w ->
  network_class net w = Some (class_of (answers L) w).
Proof.
  intros Hweights Htree w Hw Hd. apply network_as_table with codes T L; auto.
  now apply tree_right with E.
Qed.

(** * Networks that read symbol by symbol *)

Section Recurrences.

Variables (net : recurrent_network) (num_symbols : N) (codes : list code) (R : recurrence).

Let first_bits := first_bits quick_plus quick_times net.
Let next_bits := next_bits quick_plus quick_times net.
Let class_of_code := class_of_code quick_plus quick_times net.

(** Codes are numbered from 0. *)
Definition code_at (e : N) : code := nth (N.to_nat e) codes [].

Definition is_code_at (found : code) (e : N) : bool :=
  (e <? num_codes codes) && same_code (code_at e) found.

Definition check_recurrent_weights : bool :=
  is_code_at first_bits (first_code R)
  && forallb
       (fun e =>
          forallb
            (fun a => agrees (is_code_at (next_bits (code_at e) a)) (next_code R e a))
            (up_to num_symbols)
          && agrees (fun c => is_class c (class_of_code (code_at e))) (code_class R e))
       (up_to (num_codes codes)).

Hypothesis accepted : check_recurrent_weights = true.

Lemma is_code_at_spec found e : is_code_at found e = true ->
  e < num_codes codes /\ code_at e = found.
Proof.
  unfold is_code_at. rewrite andb_true_iff, N.ltb_lt. intros [H1 H2]. split; auto.
  now apply same_code_eq.
Qed.

Lemma codes_follow w : Forall (fun a => a < num_symbols) w -> forall e after,
  e < num_codes codes -> code_after R e w = Some after ->
  after < num_codes codes /\ fold_left next_bits w (code_at e) = code_at after.
Proof.
  unfold check_recurrent_weights in accepted. rewrite andb_true_iff, forallb_forall in accepted.
  destruct accepted as [_ A].
  induction 1 as [|a w Ha Hw IH]; intros e after He Hafter; simpl in Hafter.
  - injection Hafter as <-. auto.
  - destruct (next_code R e a) as [e'|] eqn:En; [|discriminate].
    specialize (A e (proj2 (in_up_to _ _) He)).
    rewrite andb_true_iff, forallb_forall in A. destruct A as [A _].
    specialize (A a (proj2 (in_up_to _ _) Ha)). rewrite En in A.
    apply is_code_at_spec in A. destruct A as [A1 A2]. simpl. rewrite <- A2. now apply IH.
Qed.

Lemma weights_give_steps w c : Forall (fun a => a < num_symbols) w ->
  recurrence_class R w = Some c -> recurrent_network_class net w = Some c.
Proof.
  intros Hw Hc. unfold recurrence_class in Hc.
  destruct (code_after R (first_code R) w) as [e|] eqn:He; [|discriminate].
  pose proof accepted as A. unfold check_recurrent_weights in A.
  rewrite andb_true_iff, forallb_forall in A. destruct A as [A1 A2].
  apply is_code_at_spec in A1. destruct A1 as [A0 A1].
  destruct (codes_follow w Hw _ _ A0 He) as [H1 H2].
  specialize (A2 e (proj2 (in_up_to _ _) H1)). apply andb_true_iff in A2. destruct A2 as [_ A2].
  rewrite Hc in A2. apply is_class_eq in A2. rewrite <- A2. unfold recurrent_network_class.
  unfold recurrent_class_with.
  assert (S : forall start, fold_left (Networks.next_bits Qplus Qmult net) w start
      = fold_left next_bits w start).
  { clear. induction w as [|a w IH]; intros start; simpl; auto. rewrite IH. f_equal. symmetry.
    apply next_bits_same; [apply quick_plus_is | apply quick_times_is]. }
  rewrite S, <- (first_bits_same quick_plus quick_times quick_plus_is quick_times_is).
  fold first_bits. rewrite <- A1, H2. symmetry.
  apply class_of_code_same; [apply quick_plus_is | apply quick_times_is].
Qed.

End Recurrences.

Theorem recurrent_network_as_table (net : recurrent_network) (codes : list code)
  (R : recurrence) (L : language) :
  check_recurrent_weights net (num_symbols L) codes R = true ->
  forall w : word, is_word L w -> forall c, recurrence_class R w = Some c ->
  recurrent_network_class net w = Some c.
Proof. intros H w Hw c Hc. now apply weights_give_steps with (num_symbols L) codes R. Qed.

Theorem recurrent_network_right (net : recurrent_network) (codes : list code) (R : recurrence)
  (L : language) (P : prefixes) :
  check_recurrent_weights net (num_symbols L) codes R = true -> check_recurrence R L P = true ->
  forall w : word, is_word L w -> in_domain L w ->
  recurrent_network_class net w = Some (class_of (answers L) w).
Proof.
  intros Hweights Htable w Hw Hd. apply recurrent_network_as_table with codes R L; auto.
  now apply recurrence_is_right with P.
Qed.

Print Assumptions network_as_table.
Print Assumptions network_right.
Print Assumptions recurrent_network_as_table.
Print Assumptions recurrent_network_right.
