(** The checkers of weights, and the theorems about networks.

    A certificate lists a code for each element of a table. The checker computes every entry of the
    table again from the weights, in exact arithmetic; so the network does what its table says, and
    what is proved of the table holds of the network. *)

From Coq Require Import List NArith Arith QArith Bool Lia.
From Lengthwise Require Import Words Data Arrays TreeChecker TreeSound Recurrence Theorems.
From Lengthwise Require Import Networks Runs QuickSums.
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

(** What is known of a network: the code that a chunk becomes, and the class that is read off a
    node, whatever happens on the way; [None] if that is not certain. *)
Variables (places : nat) (composed : list node -> option code) (classified : node -> option N).
Variables (num_symbols : N) (codes : list code) (T : tree).

(** The code of an element after level 0; elements are numbered from 1. *)
Definition code_number (e : N) : code := nth (N.to_nat (N.pred e)) codes [].

Definition num_codes : N := N.of_nat (length codes).

Definition is_code (found : option code) (e : N) : bool :=
  (1 <=? e) && (e <=? num_codes)
  && match found with Some found => same_code (code_number e) found | None => false end.

(** The node of an element of level 0, and of a later one. *)
Definition leaf (e : N) : node := if e =? 0 then Pad else Symbol (N.pred e).
Definition inner (e : N) : node := if e =? 0 then Pad else Code (code_number e).

Definition check_chunk (of_element : N -> node) (t : table) (chunk : list N) : bool :=
  match interior t chunk, edge t chunk with
  | None, None => true
  | found, other =>
      let result := composed (map of_element chunk) in
      agrees (is_code result) found && agrees (is_code result) other
  end.

Definition check_table (of_element : N -> node) (most : N) (t : table) : bool :=
  forallb (check_chunk of_element t) (lists_of (chunk T) (up_to (N.succ most)))
  && forallb
       (fun e => agrees (fun c => is_class c (classified (inner e))) (reading t e))
       (map N.succ (up_to num_codes)).

Definition check_tables : bool :=
  (places =? chunk T)%nat
  && (1 <=? chunk T)%nat
  && (1 <=? repeat_from T)%nat
  && match tables T with
     | [] => true
     | first :: others =>
         check_table leaf num_symbols first && forallb (check_table inner num_codes) others
     end
  && agrees
       (fun c =>
          is_class c
            match composed (repeat Pad places) with
            | Some bits => classified (Code bits)
            | None => None
            end)
       (empty_class T).

Hypothesis accepted : check_tables = true.

(** What may happen. *)
Variables (composes : list node -> code -> Prop) (classifies : node -> option N -> Prop).
Hypothesis composes_one : forall chunk found bits,
  composed chunk = Some found -> composes chunk bits -> bits = found.
Hypothesis classifies_one : forall x c found,
  classified x = Some c -> classifies x found -> found = Some c.

Definition of_level (l : nat) : N -> node := match l with O => leaf | S _ => inner end.
Definition most_of_level (l : nat) : N := match l with O => num_symbols | S _ => num_codes end.

Lemma phase_after l : (1 <= phase T (S l))%nat.
Proof.
  unfold check_tables in accepted. rewrite !andb_true_iff, !Nat.leb_le in accepted.
  destruct accepted as [[[_ H] _] _]. simpl. unfold following.
  destruct (_ <? _)%nat; lia.
Qed.

Lemma no_table_checks of_element most : check_table of_element most no_table = true.
Proof.
  unfold check_table. apply andb_true_iff. split; apply forallb_forall; intros; reflexivity.
Qed.

Lemma table_checks l : check_table (of_level l) (most_of_level l) (table_at T l) = true.
Proof.
  pose proof accepted as H. unfold check_tables in H. rewrite !andb_true_iff in H.
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

Lemma chunk_is_code l chunk_ e bits (which : table -> list N -> option N) :
  which = interior \/ which = edge ->
  length chunk_ = chunk T -> (forall x, In x chunk_ -> x <= most_of_level l) ->
  which (table_at T l) chunk_ = Some e -> composes (map (of_level l) chunk_) bits ->
  stands (S l) e (Code bits).
Proof.
  intros Hwhich Hlen Hin He Hbits. pose proof (table_checks l) as H. unfold check_table in H.
  apply andb_true_iff in H. destruct H as [H _]. rewrite forallb_forall in H.
  specialize (H chunk_). rewrite <- Hlen in H.
  assert (K : check_chunk (of_level l) (table_at T l) chunk_ = true).
  { apply H, in_lists_of. intros x Hx. apply in_up_to. specialize (Hin x Hx). lia. }
  unfold check_chunk in K.
  assert (C : is_code (composed (map (of_level l) chunk_)) e = true).
  { destruct Hwhich as [-> | ->]; rewrite He in K.
    - apply andb_true_iff in K. apply K.
    - destruct (interior (table_at T l) chunk_); apply andb_true_iff in K; apply K. }
  unfold is_code in C. rewrite !andb_true_iff, !N.leb_le in C. destruct C as [[C1 C2] C3].
  destruct (composed (map (of_level l) chunk_)) as [found|] eqn:Hfound; [|discriminate].
  apply same_code_eq in C3. rewrite (composes_one _ _ _ Hfound Hbits).
  split; [simpl; lia|]. simpl. unfold inner.
  destruct (N.eqb_spec e 0); [lia|]. now rewrite C3.
Qed.

Lemma elements_below l es xs : Forall2 (stands l) es xs -> forall e, In e es -> e <= most_of_level l.
Proof. induction 1 as [|e x es xs [H _] _ IH]; simpl; [tauto|]. intros e' [<-|Hin]; [lia|auto]. Qed.

Lemma nodes_are l es xs : Forall2 (stands l) es xs -> xs = map (of_level l) es.
Proof. induction 1 as [|e x es xs [_ ->] _ IH]; simpl; congruence. Qed.

Lemma level_stands l es xs found above : Forall2 (stands l) es xs ->
  level_up (chunk T) (table_at T l) es = Some found -> level_becomes places composes xs above ->
  Forall2 (stands (S l)) found above.
Proof.
  intros H Hup Habove. pose proof (elements_below l es xs H) as Hin.
  rewrite (nodes_are l es xs H) in Habove. clear H.
  pose proof accepted as A. unfold check_tables in A.
  rewrite !andb_true_iff, Nat.eqb_eq, !Nat.leb_le in A. destruct A as [[[[A HC] _] _] _].
  unfold level_becomes in Habove. rewrite A, chunks_map in Habove. unfold level_up in Hup.
  destruct es as [|e es]; [injection Hup as <-; inversion Habove; constructor|].
  destruct (chunks_of_cons (chunk T) es HC e) as (first & others & Hc & Hfirst & Hothers & Hall).
  rewrite Hc in *. cbn [map all_of] in Hup, Habove.
  revert Hall. inversion Habove as [|? x ? xs' (bits & Hbits & ->) Hrest]; subst. clear Habove.
  intros Hall.
  destruct (edge (table_at T l) (padded (chunk T) (e :: first))) as [r|] eqn:He; [|discriminate].
  destruct (all_of (map (interior (table_at T l)) others)) as [rs|] eqn:Hrs; [|discriminate].
  injection Hup as <-.
  assert (Zero : forall k, map (of_level l) (repeat 0 k) = repeat Pad k).
  { intros k. induction k; simpl; [reflexivity|]. rewrite IHk. f_equal. now destruct l. }
  apply Forall2_cons.
  - apply chunk_is_code with (padded (chunk T) (e :: first)) edge; auto.
    + unfold padded. rewrite app_length, repeat_length. simpl in *. lia.
    + intros x Hx. unfold padded in Hx. apply in_app_or in Hx. destruct Hx as [Hx|Hx].
      * apply repeat_spec in Hx. subst x. apply N.le_0_l.
      * apply Hin. rewrite Hall. simpl in *. rewrite in_app_iff. tauto.
    + unfold padded. rewrite map_app, Zero. change (of_level l e :: map (of_level l) first) with
        (map (of_level l) (e :: first)) in Hbits. now rewrite map_length in Hbits.
  - assert (Hin' : forall x, In x (concat others) -> x <= most_of_level l).
    { intros x Hx. apply Hin. rewrite Hall. simpl. rewrite in_app_iff. tauto. }
    clear Hin Hall Hc. revert rs Hrs xs' Hrest.
    induction others as [|g others IH]; intros rs Hrs xs' Hrest; simpl in Hrs;
      inversion Hrest as [|? y ? ys (more & Hmore & ->) Hys]; subst.
    + injection Hrs as <-. constructor.
    + destruct (interior (table_at T l) g) as [q|] eqn:Hq; [|discriminate].
      destruct (all_of (map (interior (table_at T l)) others)) as [qs|] eqn:Hqs; [|discriminate].
      injection Hrs as <-. inversion Hothers as [|? ? Hg Ho]; subst. apply Forall2_cons.
      * rewrite map_length, Hg, Nat.sub_diag in Hmore.
        apply chunk_is_code with g interior; auto.
        intros x Hx. apply Hin'. simpl. apply in_app_iff. auto.
      * apply IH; auto. intros x Hx. apply Hin'. simpl. apply in_app_iff. auto.
Qed.

Lemma climb_stands w : Forall (fun a => a < num_symbols) w -> forall l found nodes,
  climb T l (map N.succ w) = Some found -> becomes places composes l (map Symbol w) nodes ->
  Forall2 (stands l) found nodes.
Proof.
  intros Hw. induction l as [|l IH]; intros found nodes Hc Hn.
  - injection Hc as <-. simpl in Hn. subst nodes.
    induction Hw as [|a w Ha Hw IH]; simpl; constructor; auto.
    split; [simpl; lia|]. simpl. unfold leaf. destruct (N.eqb_spec (N.succ a) 0); [lia|].
    now rewrite N.pred_succ.
  - cbn [climb] in Hc. destruct (climb T l (map N.succ w)) as [es|] eqn:He; [|discriminate].
    destruct Hn as (below & Hbelow & Habove). apply level_stands with es below; auto.
Qed.

Lemma depth_not_0 C n : (1 <= depth C n)%nat.
Proof.
  unfold depth. assert (H : forall fuel l, (1 <= l)%nat -> (1 <= depth_from fuel C n l)%nat).
  { induction fuel as [|fuel IH]; intros l Hl; simpl; auto. destruct (_ <=? _)%nat; auto. }
  apply H. lia.
Qed.

(** Whatever may happen, the network answers as the table does. *)
Lemma answers_as_table w c found : Forall (fun a => a < num_symbols) w -> tree_class T w = Some c ->
  tree_may_answer places composes classifies w found -> found = Some c.
Proof.
  intros Hw Hc Hfound. pose proof accepted as A. unfold check_tables in A.
  rewrite !andb_true_iff, Nat.eqb_eq, !Nat.leb_le in A. destruct A as [[[[A HC] _] _] Hempty].
  destruct w as [|a w'].
  - destruct Hfound as (bits & Hbits & Hclass). simpl in Hc. rewrite Hc in Hempty. simpl in Hempty.
    destruct (composed (repeat Pad places)) as [known|] eqn:Hk; [|discriminate].
    rewrite (composes_one _ _ _ Hk Hbits) in Hclass. apply is_class_eq in Hempty.
    now apply classifies_one with (Code known).
  - set (w := a :: w') in *. unfold tree_may_answer in Hfound. fold w in Hfound.
    destruct Hfound as (nodes & Hnodes & Hclass). rewrite A in Hnodes.
    change (tree_class T w) with
      (match climb T (depth (chunk T) (length w)) (map N.succ w) with
       | Some [root] => reading (table_at T (pred (depth (chunk T) (length w)))) root
       | _ => None
       end) in Hc.
    pose proof (depth_not_0 (chunk T) (length w)) as Hd.
    destruct (climb T (depth (chunk T) (length w)) (map N.succ w)) as [es|] eqn:He; [|discriminate].
    rewrite <- A in Hnodes at 1. pose proof (climb_stands w Hw _ _ _ He Hnodes) as H.
    destruct es as [|root [|]]; try discriminate.
    inversion H as [|? x ? xs [Hroot Hx] Hxs]; subst. inversion Hxs; subst.
    destruct (depth (chunk T) (length w)) as [|l]; [lia|].
    simpl in Hroot, Hc, Hclass. pose proof (table_checks l) as K. unfold check_table in K.
    apply andb_true_iff in K. destruct K as [_ K]. rewrite forallb_forall in K.
    specialize (K root). rewrite Hc in K. apply classifies_one with (inner root); auto.
    apply is_class_eq, K. apply in_map_iff. exists (N.pred root). split; [lia|].
    apply in_up_to. lia.
Qed.

End Trees.

(** ** In exact arithmetic *)

Section Exact.

Variables (net : tree_network) (num_symbols : N) (codes : list code) (T : tree).

Let compose := compose quick_plus quick_times net.

Definition check_weights : bool :=
  check_tables (places net) (fun chunk => Some (compose chunk))
    (class_of_node quick_plus quick_times net) num_symbols codes T.

Lemma exact_becomes l : forall nodes,
  becomes (places net) (fun chunk bits => bits = compose chunk) l nodes
    (Nat.iter l (level_above Qplus Qmult net) nodes).
Proof.
  induction l as [|l IH]; intros nodes; [reflexivity|]. eexists. split; [apply IH|]. simpl.
  generalize (Nat.iter l (level_above Qplus Qmult net) nodes). intros below.
  unfold level_becomes, level_above. induction (chunks _ _); simpl; constructor; auto.
  eexists. split; [|reflexivity]. symmetry.
  apply compose_same; [apply quick_plus_is | apply quick_times_is].
Qed.

(** What the table gives, the network gives. *)
Lemma weights_give_table w c : check_weights = true -> Forall (fun a => a < num_symbols) w ->
  tree_class T w = Some c -> network_class net w = Some c.
Proof.
  intros Hcheck Hw Hc.
  apply answers_as_table with (places net) (fun chunk => Some (compose chunk))
    (class_of_node quick_plus quick_times net) num_symbols codes T
    (fun chunk bits => bits = compose chunk)
    (fun x found => found = class_of_node quick_plus quick_times net x) w; auto.
  - intros chunk found bits [= <-]. auto.
  - intros x known found <-. auto.
  - assert (Class : forall x, class_of_node Qplus Qmult net x
      = class_of_node quick_plus quick_times net x).
    { intros x. symmetry. apply class_of_node_same; [apply quick_plus_is | apply quick_times_is]. }
    destruct w as [|a w].
    + eexists. split; [reflexivity|]. unfold network_class, network_class_with. rewrite Class.
      unfold compose. now rewrite (compose_same _ _ quick_plus_is quick_times_is).
    + eexists. split; [apply exact_becomes|]. unfold network_class, network_class_with.
      destruct (Nat.iter _ _ _) as [|root [|]]; auto.
Qed.

End Exact.

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

(** What is known of a network, as above: its first code, the next one, and the class of a code. *)
Variables (first : option code) (next : code -> N -> option code) (classified : code -> option N).
Variables (num_symbols : N) (codes : list code) (R : recurrence).

(** Codes are numbered from 0. *)
Definition code_at (e : N) : code := nth (N.to_nat e) codes [].

Definition is_code_at (found : option code) (e : N) : bool :=
  (e <? num_codes codes)
  && match found with Some found => same_code (code_at e) found | None => false end.

Definition check_steps : bool :=
  is_code_at first (first_code R)
  && forallb
       (fun e =>
          forallb
            (fun a => agrees (is_code_at (next (code_at e) a)) (next_code R e a))
            (up_to num_symbols)
          && agrees (fun c => is_class c (classified (code_at e))) (code_class R e))
       (up_to (num_codes codes)).

Hypothesis accepted : check_steps = true.

(** What may happen. *)
Variables (begins : code -> Prop) (follows : code -> N -> code -> Prop)
  (classifies : code -> option N -> Prop).
Hypothesis begins_one : forall known bits, first = Some known -> begins bits -> bits = known.
Hypothesis follows_one : forall before a known bits,
  next before a = Some known -> follows before a bits -> bits = known.
Hypothesis classifies_one : forall bits c found,
  classified bits = Some c -> classifies bits found -> found = Some c.

Lemma is_code_at_spec found e : is_code_at found e = true ->
  e < num_codes codes /\ found = Some (code_at e).
Proof.
  unfold is_code_at. rewrite andb_true_iff, N.ltb_lt. intros [H1 H2]. split; auto.
  destruct found as [found|]; [|discriminate]. f_equal. symmetry. now apply same_code_eq.
Qed.

Lemma codes_follow w : Forall (fun a => a < num_symbols) w -> forall e after last,
  e < num_codes codes -> code_after R e w = Some after -> reads follows (code_at e) w last ->
  after < num_codes codes /\ last = code_at after.
Proof.
  unfold check_steps in accepted. rewrite andb_true_iff, forallb_forall in accepted.
  destruct accepted as [_ A].
  induction 1 as [|a w Ha Hw IH]; intros e after last He Hafter Hreads; simpl in Hafter, Hreads.
  - injection Hafter as <-. auto.
  - destruct (next_code R e a) as [e'|] eqn:En; [|discriminate].
    specialize (A e (proj2 (in_up_to _ _) He)).
    rewrite andb_true_iff, forallb_forall in A. destruct A as [A _].
    specialize (A a (proj2 (in_up_to _ _) Ha)). rewrite En in A.
    apply is_code_at_spec in A. destruct A as [A1 A2]. destruct Hreads as (bits & Hbits & Hrest).
    rewrite (follows_one _ _ _ _ A2 Hbits) in Hrest. now apply IH with e'.
Qed.

Lemma answers_as_steps w c found : Forall (fun a => a < num_symbols) w ->
  recurrence_class R w = Some c -> recurrence_may_answer begins follows classifies w found ->
  found = Some c.
Proof.
  intros Hw Hc (start & last & Hstart & Hreads & Hclass). unfold recurrence_class in Hc.
  destruct (code_after R (first_code R) w) as [e|] eqn:He; [|discriminate].
  pose proof accepted as A. unfold check_steps in A.
  rewrite andb_true_iff, forallb_forall in A. destruct A as [A1 A2].
  apply is_code_at_spec in A1. destruct A1 as [A0 A1].
  rewrite (begins_one _ _ A1 Hstart) in Hreads.
  destruct (codes_follow w Hw _ _ _ A0 He Hreads) as [H1 H2]. subst last.
  specialize (A2 e (proj2 (in_up_to _ _) H1)). apply andb_true_iff in A2. destruct A2 as [_ A2].
  rewrite Hc in A2. apply is_class_eq in A2. now apply classifies_one with (code_at e).
Qed.

End Recurrences.

Definition check_recurrent_weights (net : recurrent_network) (num_symbols : N) (codes : list code)
  (R : recurrence) : bool :=
  check_steps (Some (first_bits quick_plus quick_times net))
    (fun bits a => Some (next_bits quick_plus quick_times net bits a))
    (class_of_code quick_plus quick_times net) num_symbols codes R.

Theorem recurrent_network_as_table (net : recurrent_network) (codes : list code)
  (R : recurrence) (L : language) :
  check_recurrent_weights net (num_symbols L) codes R = true ->
  forall w : word, is_word L w -> forall c, recurrence_class R w = Some c ->
  recurrent_network_class net w = Some c.
Proof.
  intros H w Hw c Hc. unfold recurrent_network_class.
  apply answers_as_steps with (Some (first_bits quick_plus quick_times net))
    (fun bits a => Some (next_bits quick_plus quick_times net bits a))
    (class_of_code quick_plus quick_times net) (num_symbols L) codes R
    (fun bits => bits = first_bits Qplus Qmult net)
    (fun before a bits => bits = next_bits Qplus Qmult net before a)
    (fun bits found => found = class_of_code Qplus Qmult net bits) w; auto.
  - intros known bits [= <-] ->. symmetry. apply first_bits_same.
    + apply quick_plus_is.
    + apply quick_times_is.
  - intros before a known bits [= <-] ->. symmetry. apply next_bits_same.
    + apply quick_plus_is.
    + apply quick_times_is.
  - intros bits k found <- ->. symmetry. apply class_of_code_same.
    + apply quick_plus_is.
    + apply quick_times_is.
  - unfold recurrence_may_answer. eexists. eexists. split; [reflexivity|]. split; [|reflexivity].
    clear. generalize (first_bits Qplus Qmult net). induction w as [|a w IH]; intros bits; simpl.
    + reflexivity.
    + eexists. split; [reflexivity|]. apply IH.
Qed.

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
