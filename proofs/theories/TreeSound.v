(** What the checker of trees accepts is so: the proof, once and for all. *)

From Coq Require Import List NArith Arith Bool Lia.
From Lengthwise Require Import Words Data Arrays TreeChecker.
Import ListNotations.

(** * Chunks and depth *)

Lemma chunks_of_cons {A} (C : nat) (xs : list A) : (1 <= C)%nat -> forall x,
  exists first others,
    chunks C (x :: xs) = (x :: first) :: others
    /\ (length first < C)%nat
    /\ Forall (fun h => length h = C) others
    /\ xs = first ++ concat others.
Proof.
  intros HC. induction xs as [|y xs IH]; intros x.
  - exists [], []. simpl. repeat split; auto.
  - destruct (IH y) as (g & others & Hc & Hg & Ho & ->).
    change (chunks C (x :: y :: g ++ concat others)) with
      (match chunks C (y :: g ++ concat others) with
       | [] => [[x]]
       | f :: o => if (length f <? C)%nat then (x :: f) :: o else [x] :: f :: o
       end).
    rewrite Hc. destruct (Nat.ltb_spec (length (y :: g)) C).
    + exists (y :: g), others. repeat split; auto.
    + exists [], ((y :: g) :: others). repeat split; auto.
      constructor; auto. simpl in *. lia.
Qed.

Lemma chunks_map {A B} (f : A -> B) C xs : chunks C (map f xs) = map (map f) (chunks C xs).
Proof.
  induction xs as [|x xs IH]; simpl; auto. rewrite IH.
  destruct (chunks C xs) as [|g gs]; simpl; auto.
  rewrite map_length. now destruct (length g <? C)%nat.
Qed.

Lemma depth_from_spec C n : (2 <= C)%nat -> forall fuel l,
  (1 <= l)%nat -> (l = 1 \/ C ^ pred l < n)%nat -> (n <= C ^ (l + fuel))%nat ->
  let d := depth_from fuel C n l in
  (1 <= d /\ n <= C ^ d /\ (d = 1 \/ C ^ pred d < n))%nat.
Proof.
  intros HC. induction fuel as [|fuel IH]; intros l Hl H1 Hn; simpl.
  - rewrite Nat.add_0_r in Hn. auto.
  - destruct (Nat.leb_spec n (C ^ l)); auto.
    apply IH; [lia | right; simpl; lia | now rewrite Nat.add_succ_r in Hn].
Qed.

Lemma depth_spec C n : (2 <= C)%nat ->
  (1 <= depth C n /\ n <= C ^ depth C n /\ (depth C n = 1 \/ C ^ pred (depth C n) < n))%nat.
Proof.
  intros HC. apply depth_from_spec; auto.
  apply Nat.lt_le_incl, Nat.lt_trans with (C ^ n)%nat.
  - apply Nat.pow_gt_lin_r. lia.
  - apply Nat.pow_lt_mono_r; lia.
Qed.

Lemma length_concat_same {A} (xss : list (list A)) C : Forall (fun xs => length xs = C) xss ->
  length (concat xss) = (length xss * C)%nat.
Proof. induction 1; simpl; auto. rewrite app_length. lia. Qed.

Local Open Scope N_scope.

Section Sound.

Variables (T : tree) (L : language) (E : evidence).

Let M := machine E.
Let n := num_states E.
Let C := chunk T.
Let states := up_to n.

Hypothesis begins : begins_well T L E = true.

(** The levels up to [bound] follow each other; [at_level l] is the level of the evidence that
    stands for level [l]. *)
Fixpoint at_level (l : nat) : nat :=
  match l with
  | O => O
  | S l => next_level E (at_level l)
  end.

Variable bound : nat.

Hypothesis follow : forall l, (l < bound)%nat ->
  level_follows T E (l =? 0)%nat (level_of E (at_level l)) (level_of E (at_level (S l))) = true.

Notation lvl l := (level_of E (at_level l)).

(** ** What the checks say *)

Lemma begins_parts :
  (2 <= C)%nat /\ closed M n L = true /\ matches L M (outside E) (matched E) = true
  /\ table_number (lvl 0) = O /\ good_follow E (lvl 0) = true
  /\ symbols_follow L E (lvl 0) = true
  /\ (in_it E (start M) = true -> empty_class T = Some (class M (start M))).
Proof.
  unfold begins_well in begins. rewrite !andb_true_iff in begins.
  destruct begins as [[[[[[H1 H2] H3] H4] H5] H6] H7].
  apply Nat.leb_le in H1. apply Nat.eqb_eq in H4.
  repeat split; auto. intros H. unfold M in H. rewrite H in H7.
  destruct (empty_class T) as [c|]; [|discriminate]. apply N.eqb_eq in H7. now subst c.
Qed.

Lemma follow_parts l : (l < bound)%nat ->
  table_number (lvl (S l)) = following T (table_number (lvl l))
  /\ steps_follow T E (lvl l) (lvl (S l)) = true
  /\ good_follow E (lvl (S l)) = true
  /\ interior_follow (nth (table_number (lvl l)) (tables T) no_table) (lvl (S l))
       (index (inside (lvl (S l))))
       (map (fun '(e, does) => (e, array_of does)) (inside (lvl l))) C [] states = true
  /\ (forall e s, In (e, s) (begun (lvl l)) ->
      edge_follow E (nth (table_number (lvl l)) (tables T) no_table) (lvl (S l))
        (index (begun (lvl (S l))))
        (map (fun '(e, does) => (e, array_of does)) (inside (lvl l)))
        (pred C) [e] s (l =? 0)%nat = true).
Proof.
  intros Hl. specialize (follow l Hl). unfold level_follows in follow.
  rewrite !andb_true_iff, forallb_forall in follow.
  destruct follow as [[[[[H1 H2] H3] H4] H5] H6]. apply Nat.eqb_eq in H1.
  repeat split; auto. intros e s Hin. exact (H6 _ Hin).
Qed.

Lemma table_of_level l : (l <= bound)%nat -> table_number (lvl l) = phase T l.
Proof.
  induction l as [|l IH]; intros Hl.
  - apply begins_parts.
  - destruct (follow_parts l) as [-> _]; [lia|]. simpl. now rewrite IH by lia.
Qed.

Lemma good_at l : (l <= bound)%nat -> good_follow E (lvl l) = true.
Proof. destruct l; intros Hl; [apply begins_parts | now apply follow_parts]. Qed.

(** ** State maps *)

Definition map_of (x : word) : list N := map (fun s => run M s x) states.

Lemma map_of_nil : map_of [] = states.
Proof. unfold map_of. simpl. apply map_id. Qed.

Lemma below w : forall s, s < n -> is_word L w -> run M s w < n.
Proof. intros s. apply (run_below M n L). apply begins_parts. Qed.

Lemma start_is_below : start M < n.
Proof. apply (start_below M n L). apply begins_parts. Qed.

Lemma at_map_of y s : s < n -> at_ 0 (array_of (map_of y)) s = run M s y.
Proof. intros H. unfold map_of, states. now rewrite at_array_of_up_to. Qed.

Lemma compose x y : is_word L x ->
  map (at_ 0 (array_of (map_of y))) (map_of x) = map_of (x ++ y).
Proof.
  intros Hx. unfold map_of at 2 3. rewrite map_map. apply map_ext_in. intros s Hs.
  apply in_up_to in Hs. rewrite run_app. apply at_map_of. now apply below.
Qed.

(** ** States that words lead to *)

Lemma image_sound l set s s' : s < n -> N.testbit set s = true ->
  N.testbit (steps l s) s' = true -> N.testbit (image E l set) s' = true.
Proof.
  intros Hs Hset Hs'. apply in_up_to in Hs. unfold image. fold n.
  induction (up_to n) as [|s0 rest IH]; [contradiction|]. simpl. destruct Hs as [->|Hs].
  - rewrite Hset, N.lor_spec, Hs'. now rewrite orb_true_r.
  - specialize (IH Hs). destruct (N.testbit set s0); [|exact IH].
    now rewrite N.lor_spec, IH.
Qed.

Lemma word_parts w k : is_word L w -> is_word L (firstn k w) /\ is_word L (skipn k w).
Proof.
  intros H. unfold is_word. rewrite <- Forall_app, firstn_skipn. exact H.
Qed.

Lemma word_firstn w k : is_word L w -> is_word L (firstn k w).
Proof. apply word_parts. Qed.

Lemma word_skipn w k : is_word L w -> is_word L (skipn k w).
Proof. apply word_parts. Qed.

Lemma steps_sound : forall l, (l <= bound)%nat -> forall v s, s < n -> is_word L v ->
  length v = (C ^ l)%nat -> N.testbit (steps (lvl l) s) (run M s v) = true.
Proof.
  induction l as [|l IH]; intros Hl v s Hs Hv Hlen.
  - destruct begins_parts as (_ & _ & _ & _ & _ & H & _).
    unfold symbols_follow in H. rewrite forallb_forall in H.
    destruct v as [|a [|b v]]; try discriminate Hlen.
    inversion Hv; subst. specialize (H a). unfold symbols_of in H. rewrite in_up_to in H.
    specialize (H H2). rewrite !andb_true_iff, (forallb_forall _ (up_to _)) in H.
    destruct H as [_ H]. apply H, in_up_to. exact Hs.
  - destruct (follow_parts l) as (_ & H & _); [lia|].
    assert (I : forall j v set s, s < n -> is_word L v -> length v = (j * C ^ l)%nat ->
        N.testbit set s = true ->
        N.testbit (Nat.iter j (image E (lvl l)) set) (run M s v) = true).
    { clear v s Hs Hv Hlen H. induction j as [|j IHj]; intros v set s Hs Hv Hlen Hset.
      - destruct v; [exact Hset | discriminate].
      - rewrite <- (firstn_skipn (j * C ^ l) v), run_app. simpl.
        apply image_sound with (run M s (firstn (j * C ^ l) v)).
        + apply below; auto using word_firstn.
        + apply IHj; auto using word_firstn. rewrite firstn_length. simpl in Hlen. lia.
        + apply IH; auto using word_skipn; [lia | apply below; auto using word_firstn |].
          rewrite skipn_length. simpl in Hlen. lia. }
    unfold steps_follow in H. rewrite forallb_forall in H. specialize (H s).
    rewrite in_up_to in H. specialize (H Hs). apply N.eqb_eq in H.
    specialize (I C v (N.shiftl 1 s) s Hs Hv Hlen).
    assert (B : N.testbit (N.shiftl 1 s) s = true).
    { rewrite N.shiftl_spec_high', N.sub_diag by lia. reflexivity. }
    specialize (I B). apply (f_equal (fun x => N.testbit x (run M s v))) in H.
    rewrite N.ldiff_spec in H. unfold C in I. rewrite I, N.bits_0 in H. simpl in H.
    now apply negb_false_iff in H.
Qed.

Lemma good_sound l : (l <= bound)%nat -> forall j v s, s < n -> is_word L v ->
  length v = (j * C ^ l)%nat -> in_it E (run M s v) = true -> is_good (lvl l) s = true.
Proof.
  intros Hl. pose proof (good_at l Hl) as G. unfold good_follow in G.
  rewrite forallb_forall in G.
  induction j as [|j IH]; intros v s Hs Hv Hlen Hin.
  - destruct v; [|discriminate]. simpl in Hin. specialize (G s). rewrite in_up_to in G.
    specialize (G Hs). now rewrite Hin in G.
  - set (x := firstn (C ^ l) v). set (y := skipn (C ^ l) v).
    assert (E1 : v = x ++ y) by (symmetry; apply firstn_skipn).
    simpl in Hlen.
    assert (Hr : run M s x < n) by (apply below; auto; now apply word_firstn).
    assert (Hgood : is_good (lvl l) (run M s x) = true).
    { apply (IH y); auto.
      - now apply word_skipn.
      - unfold y. rewrite skipn_length. lia.
      - now rewrite <- run_app, <- E1. }
    assert (Hstep : N.testbit (steps (lvl l) s) (run M s x) = true).
    { apply steps_sound; auto; [now apply word_firstn|]. unfold x. rewrite firstn_length. lia. }
    specialize (G s). rewrite in_up_to in G. specialize (G Hs).
    assert (Z : (N.land (steps (lvl l) s) (good (lvl l)) =? 0) = false).
    { apply N.eqb_neq. intros Z. apply (f_equal (fun q => N.testbit q (run M s x))) in Z.
      unfold is_good in Hgood. rewrite N.land_spec, Hstep, Hgood, N.bits_0 in Z. discriminate. }
    rewrite Z in G. now rewrite orb_true_r in G.
Qed.

(** ** Nodes: an element and the sub-word that it stands for *)

Local Notation node := (N * word)%type.

Definition words_of (zs : list node) : word := concat (map snd zs).

Definition holds_inside (l : nat) (z : node) : Prop :=
  length (snd z) = (C ^ l)%nat /\ is_word L (snd z)
  /\ In (fst z, map_of (snd z)) (inside (lvl l)).

Definition holds_at_edge (l : nat) (z : node) : Prop :=
  (1 <= length (snd z) <= C ^ l)%nat /\ is_word L (snd z)
  /\ In (fst z, run M (start M) (snd z)) (begun (lvl l)).

Lemma words_of_app zs zs' : words_of (zs ++ zs') = words_of zs ++ words_of zs'.
Proof. unfold words_of. now rewrite map_app, concat_app. Qed.

Lemma length_words_of l zs : Forall (holds_inside l) zs ->
  length (words_of zs) = (length zs * C ^ l)%nat.
Proof.
  induction 1 as [|z zs (H & _) _ IH]; auto.
  unfold words_of in *. simpl. rewrite app_length, H, IH. reflexivity.
Qed.

Lemma is_word_words_of l zs : Forall (holds_inside l) zs -> is_word L (words_of zs).
Proof.
  induction 1 as [|z zs (_ & H & _) _ IH]; [constructor|].
  unfold words_of in *. simpl. apply Forall_app. auto.
Qed.

(** ** The chunks that the checker goes through *)

Lemma loaded l z : holds_inside l z ->
  In (fst z, array_of (map_of (snd z)))
    (map (fun '(e, does) => (e, array_of does)) (inside (lvl l))).
Proof.
  intros (_ & _ & H).
  apply (in_map (fun '(e, does) => (e, array_of does))) in H. exact H.
Qed.

Lemma interior_sound l t after known : forall zs children x,
  is_word L x -> Forall (holds_inside l) zs ->
  interior_follow t after known
    (map (fun '(e, does) => (e, array_of does)) (inside (lvl l)))
    (length zs) children (map_of x) = true ->
  interior_follow t after known
    (map (fun '(e, does) => (e, array_of does)) (inside (lvl l)))
    0 (rev (map fst zs) ++ children) (map_of (x ++ words_of zs)) = true.
Proof.
  induction zs as [|z zs IH]; intros children x Hx Hzs H.
  - unfold words_of. simpl in *. now rewrite app_nil_r.
  - inversion Hzs as [|? ? Hz Hzs']; subst.
    change (forallb
        (fun '(e, map_) => interior_follow t after known
          (map (fun '(e, does) => (e, array_of does)) (inside (lvl l)))
          (length zs) (e :: children) (map (at_ 0 map_) (map_of x)))
        (map (fun '(e, does) => (e, array_of does)) (inside (lvl l))) = true) in H.
    rewrite forallb_forall in H. specialize (H _ (loaded l z Hz)). simpl in H.
    rewrite compose in H by assumption.
    apply IH in H; auto.
    + simpl rev. rewrite <- app_assoc. simpl app.
      replace (x ++ words_of (z :: zs)) with ((x ++ snd z) ++ words_of zs); [exact H|].
      unfold words_of. simpl. now rewrite app_assoc.
    + apply Forall_app. split; auto. apply Hz.
Qed.

Lemma edge_sound l t after started : forall zs room children s whole,
  s < n -> (length zs <= room)%nat -> Forall (holds_inside l) zs ->
  edge_follow E t after started
    (map (fun '(e, does) => (e, array_of does)) (inside (lvl l))) room children s whole = true ->
  is_good after (run M s (words_of zs)) = true ->
  exists e,
    edge t (repeat 0 (room - length zs) ++ rev children ++ map fst zs) = Some e
    /\ has N.eqb started e (run M s (words_of zs)) = true
    /\ (whole = true \/ zs <> [] -> in_it E (run M s (words_of zs)) = true ->
        reading t e = Some (class M (run M s (words_of zs)))).
Proof.
  induction zs as [|z zs IH]; intros room children s whole Hs Hroom Hzs H Hgood.
  - assert (Ec : repeat 0 (room - length (@nil node)) ++ rev children ++ map fst (@nil node)
      = repeat 0 room ++ rev children).
    { simpl. now rewrite Nat.sub_0_r, app_nil_r. }
    rewrite Ec. unfold words_of in *. cbn [map concat run] in *.
    assert (H' : (match edge t (repeat 0 room ++ rev children) with
      | Some e => has N.eqb started e s && (if whole && in_it E s then
          match reading t e with Some c => c =? class M s | None => false end else true)
      | None => false end) = true).
    { destruct room; cbn [edge_follow] in H; rewrite andb_true_iff in H; destruct H as [H _];
        rewrite Hgood in H; exact H. }
    destruct (edge t (repeat 0 room ++ rev children)) as [e|]; [|discriminate].
    exists e. rewrite andb_true_iff in H'. destruct H' as [H1 H2].
    split; [reflexivity|]. split; [exact H1|].
    intros [->|Hne] Hin; [|contradiction]. rewrite Hin in H2. simpl in H2.
    destruct (reading t e) as [c|]; [|discriminate]. apply N.eqb_eq in H2. now subst c.
  - inversion Hzs as [|? ? Hz Hzs']; subst.
    destruct room as [|room]; [simpl in Hroom; lia|].
    cbn [edge_follow] in H. rewrite andb_true_iff in H. destruct H as [_ H].
    rewrite forallb_forall in H. specialize (H _ (loaded l z Hz)). simpl in H.
    rewrite at_map_of in H by assumption.
    assert (R : run M s (words_of (z :: zs)) = run M (run M s (snd z)) (words_of zs)).
    { unfold words_of. simpl. now rewrite run_app. }
    rewrite R in Hgood |- *.
    destruct (IH room (fst z :: children) (run M s (snd z)) true) as (e & H1 & H2 & H3); auto.
    + apply below; auto. apply Hz.
    + simpl in Hroom. lia.
    + exists e. repeat split; auto. simpl. simpl in H1. now rewrite <- app_assoc in H1.
Qed.

(** ** One level *)

Lemma good_of_prefix l p v : (l <= bound)%nat -> is_word L (p ++ v) ->
  (exists j, length v = (j * C ^ l)%nat) -> in_it E (run M (start M) (p ++ v)) = true ->
  is_good (lvl l) (run M (start M) p) = true.
Proof.
  intros Hl Hw (j & Hj) Hin. unfold is_word in Hw. rewrite Forall_app in Hw. destruct Hw.
  apply (good_sound l Hl j v); auto.
  - apply below; auto. apply start_is_below.
  - now rewrite <- run_app.
Qed.

Lemma others_climb l t : (l < bound)%nat -> t = table_at T l ->
  forall others p,
  Forall (fun h => length h = C) others -> Forall (holds_inside l) (concat others) ->
  is_word L p -> in_it E (run M (start M) (p ++ words_of (concat others))) = true ->
  exists zs,
    all_of (map (interior t) (map (map fst) others)) = Some (map fst zs)
    /\ Forall (holds_inside (S l)) zs
    /\ words_of zs = words_of (concat others).
Proof.
  intros Hl ->. destruct (follow_parts l Hl) as (_ & _ & _ & H & _).
  rewrite table_of_level in H by lia. fold (table_at T l) in H.
  induction others as [|h others IH]; intros p Hlen Hzs Hp Hin.
  - exists []. simpl. repeat split; auto.
  - inversion Hlen as [|? ? Hh Hlen']; subst. simpl concat in *.
    apply Forall_app in Hzs. destruct Hzs as [Hz Hzs].
    assert (Wh : is_word L (words_of h)) by (eapply is_word_words_of; eauto).
    assert (Wo : is_word L (words_of (concat others))) by (eapply is_word_words_of; eauto).
    rewrite words_of_app, app_assoc in Hin.
    destruct (IH (p ++ words_of h)) as (zs & H1 & H2 & H3); auto.
    { apply Forall_app. auto. }
    pose proof (interior_sound l (table_at T l) (lvl (S l)) (index (inside (lvl (S l))))
      h [] [] (Forall_nil _) Hz) as K.
    rewrite map_of_nil, Hh in K. specialize (K H). simpl app in K. rewrite app_nil_r in K.
    assert (Hgood : existsb (is_good (lvl (S l))) (map_of (words_of h)) = true).
    { apply existsb_exists. exists (run M (start M) (p ++ words_of h)). split.
      - rewrite run_app. unfold map_of. apply in_map_iff.
        exists (run M (start M) p). split; auto. apply in_up_to. apply below; auto.
        apply start_is_below.
      - apply good_of_prefix with (words_of (concat others)); auto.
        + apply Forall_app. split; auto. apply Forall_app. auto.
        + exists (length others). rewrite (length_words_of l) by assumption.
          rewrite (length_concat_same others C Hlen'). simpl. lia. }
    cbn [interior_follow] in K. rewrite Hgood, rev_involutive in K.
    destruct (interior (table_at T l) (map fst h)) as [e|] eqn:He; [|discriminate].
    apply has_in in K; [|apply same_list_eq].
    exists ((e, words_of h) :: zs). simpl. rewrite He, H1. repeat split; auto.
    + constructor; auto. repeat split; auto. simpl snd.
      rewrite (length_words_of l) by assumption. rewrite Hh. reflexivity.
    + unfold words_of at 1. simpl. fold (words_of zs). now rewrite H3, words_of_app.
Qed.

Lemma level_climbs l u zs : (l < bound)%nat ->
  holds_at_edge l u -> Forall (holds_inside l) zs ->
  in_it E (run M (start M) (snd u ++ words_of zs)) = true ->
  exists u' zs',
    level_up C (table_at T l) (map fst (u :: zs)) = Some (map fst (u' :: zs'))
    /\ holds_at_edge (S l) u' /\ Forall (holds_inside (S l)) zs'
    /\ snd u' ++ words_of zs' = snd u ++ words_of zs
    /\ (zs' = [] -> l = O \/ (C ^ l < length (snd u'))%nat ->
        reading (table_at T l) (fst u') = Some (class M (run M (start M) (snd u')))).
Proof.
  intros Hl (Hlen & Wu & Hu) Hzs Hin. destruct begins_parts as (HC & _).
  destruct (chunks_of_cons C zs ltac:(lia) u) as (g & others & Hc & Hg & Ho & Ezs).
  assert (Hg' : Forall (holds_inside l) g) by (rewrite Ezs in Hzs; apply Forall_app in Hzs; tauto).
  assert (Ho' : Forall (holds_inside l) (concat others))
    by (rewrite Ezs in Hzs; apply Forall_app in Hzs; tauto).
  assert (Wg : is_word L (words_of g)) by (eapply is_word_words_of; eauto).
  assert (Wo : is_word L (words_of (concat others))) by (eapply is_word_words_of; eauto).
  assert (Ew : snd u ++ words_of zs = (snd u ++ words_of g) ++ words_of (concat others))
    by (now rewrite Ezs, words_of_app, app_assoc).
  rewrite Ew in Hin.
  assert (Wug : is_word L (snd u ++ words_of g)) by (apply Forall_app; auto).
  destruct (others_climb l _ Hl eq_refl others (snd u ++ words_of g) Ho Ho' Wug Hin)
    as (zs' & Hzs1 & Hzs2 & Hzs3).
  destruct (follow_parts l Hl) as (_ & _ & _ & _ & He).
  specialize (He _ _ Hu). rewrite table_of_level in He by lia. fold (table_at T l) in He.
  destruct (edge_sound l (table_at T l) (lvl (S l)) (index (begun (lvl (S l)))) g (pred C)
    [fst u] (run M (start M) (snd u)) (l =? 0)%nat) as (e & He1 & He2 & He3); auto.
  { apply below; auto. apply start_is_below. }
  { lia. }
  { rewrite <- run_app. apply good_of_prefix with (words_of (concat others)); auto.
    - apply Forall_app. auto.
    - exists (length others). rewrite (length_words_of l) by assumption.
      rewrite (length_concat_same others C Ho). simpl. lia. }
  apply has_in in He2; [|apply neqb_eq]. rewrite <- run_app in He2, He3.
  exists (e, snd u ++ words_of g), zs'. simpl snd. simpl fst.
  split; [|split; [|split; [|split]]]; auto.
  - unfold level_up. rewrite chunks_map, Hc. simpl map.
    change (map (interior (table_at T l)) (map (map fst) others)) with
      (map (interior (table_at T l)) (map (map fst) others)) in Hzs1.
    cbn [all_of]. rewrite Hzs1.
    assert (Ep : padded C (fst u :: map fst g)
      = repeat 0 (pred C - length g) ++ rev [fst u] ++ map fst g).
    { unfold padded. simpl length. rewrite map_length. simpl rev. simpl app.
      now replace (C - S (length g))%nat with (pred C - length g)%nat by lia. }
    rewrite Ep, He1. reflexivity.
  - split; [|split]; auto. simpl snd. rewrite app_length, (length_words_of l) by assumption.
    simpl. assert (length g * C ^ l <= pred C * C ^ l)%nat by (apply Nat.mul_le_mono_r; lia).
    assert (C * C ^ l = C ^ l + pred C * C ^ l)%nat by (destruct C; [lia | reflexivity]). lia.
  - now rewrite Hzs3, <- Ew.
  - intros -> Hwhole. rewrite <- Hzs3 in Hin. unfold words_of at 2 in Hin. simpl in Hin.
    rewrite app_nil_r in Hin. apply He3; auto.
    destruct Hwhole as [->|Hwhole]; auto. right. intros ->.
    unfold words_of in Hwhole. simpl in Hwhole. rewrite app_nil_r in Hwhole. lia.
Qed.

(** ** All levels *)

Lemma leaves w : is_word L w -> in_it E (run M (start M) w) = true -> w <> [] ->
  exists u zs,
    map N.succ w = map fst (u :: zs) /\ holds_at_edge 0 u /\ Forall (holds_inside 0) zs
    /\ snd u ++ words_of zs = w.
Proof.
  intros Hw Hin Hne. destruct w as [|a w]; [contradiction|]. clear Hne.
  destruct begins_parts as (_ & _ & _ & _ & _ & H & _).
  unfold symbols_follow in H. rewrite forallb_forall in H.
  inversion Hw as [|? ? Ha Hw']; subst.
  exists (N.succ a, [a]), (map (fun b => (N.succ b, [b])) w). simpl fst. simpl snd.
  assert (Ew : forall v, words_of (map (fun b => (N.succ b, [b])) v) = v).
  { unfold words_of. induction v as [|b v IH]; simpl; auto. now f_equal. }
  split; [|split; [|split]].
  - simpl. now rewrite map_map.
  - split; [simpl; lia|]. split; [constructor; auto|]. simpl snd. simpl fst.
    specialize (H a (proj2 (in_up_to _ _) Ha)). rewrite !andb_true_iff in H.
    destruct H as [[_ H] _].
    pose proof (good_of_prefix 0 [a] w) as G. simpl run in G at 1.
    assert (Hgood : is_good (lvl 0) (next M (start M) a) = true).
    { apply G; auto; [lia|]. exists (length w). simpl. lia. }
    simpl run. unfold M in *. rewrite Hgood in H. simpl in H.
    apply has_in in H; [|apply neqb_eq]. exact H.
  - apply Forall_forall. intros z Hz. apply in_map_iff in Hz as (b & <- & Hb).
    apply in_split in Hb as (w1 & w2 & ->).
    assert (Hall : is_word L ((a :: w1 ++ [b]) ++ w2)).
    { change ((a :: w1 ++ [b]) ++ w2) with (a :: (w1 ++ [b]) ++ w2).
      rewrite <- app_assoc. exact Hw. }
    unfold is_word in Hall. apply Forall_app in Hall as Hsplit. destruct Hsplit as [Hp Hw2].
    assert (Hb : b < num_symbols L).
    { rewrite Forall_forall in Hp. apply Hp. right. apply in_or_app. right. now left. }
    split; [reflexivity|]. split; [constructor; auto|]. simpl snd. simpl fst.
    specialize (H b (proj2 (in_up_to _ _) Hb)). rewrite !andb_true_iff in H.
    destruct H as [[H _] _].
    assert (Hgood : existsb (is_good (lvl 0)) (map (fun s => next M s b) states) = true).
    { apply existsb_exists. exists (run M (start M) (a :: w1 ++ [b])). split.
      - apply in_map_iff. exists (run M (start M) (a :: w1)). split.
        + change (a :: w1 ++ [b]) with ((a :: w1) ++ [b]). now rewrite run_app.
        + apply in_up_to. apply below; [apply start_is_below|].
          change (a :: w1 ++ [b]) with ((a :: w1) ++ [b]) in Hp.
          apply Forall_app in Hp. tauto.
      - apply (good_of_prefix 0 (a :: w1 ++ [b]) w2); auto.
        + lia.
        + exists (length w2). simpl. lia.
        + change ((a :: w1 ++ [b]) ++ w2) with (a :: (w1 ++ [b]) ++ w2).
          rewrite <- app_assoc. exact Hin. }
    unfold states, n, M in Hgood. rewrite Hgood in H. simpl in H.
    apply has_in in H; [|apply same_list_eq]. exact H.
  - rewrite Ew. reflexivity.
Qed.

Lemma climbs w : is_word L w -> in_it E (run M (start M) w) = true -> w <> [] ->
  forall l, (l <= bound)%nat -> exists u zs,
    climb T l (map N.succ w) = Some (map fst (u :: zs))
    /\ holds_at_edge l u /\ Forall (holds_inside l) zs /\ snd u ++ words_of zs = w.
Proof.
  intros Hw Hin Hne. induction l as [|l IH]; intros Hl.
  - destruct (leaves w Hw Hin Hne) as (u & zs & H1 & H2 & H3 & H4).
    exists u, zs. simpl climb. rewrite H1. auto.
  - destruct IH as (u & zs & H1 & H2 & H3 & H4); [lia|].
    destruct (level_climbs l u zs) as (u' & zs' & K1 & K2 & K3 & K4 & _); auto.
    { now rewrite H4. }
    exists u', zs'. cbn [climb]. rewrite H1. unfold C in K1. cbv beta iota. rewrite K1, K4. auto.
Qed.

Lemma all_right w : is_word L w -> in_domain L w -> (length w <= C ^ bound)%nat ->
  (1 <= bound)%nat -> tree_class T w = Some (class_of (answers L) w).
Proof.
  intros Hw Hd Hlen Hbound. destruct begins_parts as (HC & _ & Hm & _ & _ & _ & Hempty).
  destruct (matches_sound L M (outside E) (matched E) Hm w Hw Hd) as [Hclass Hout].
  rewrite <- Hclass. clear Hm.
  assert (Hin : in_it E (run M (start M) w) = true) by (apply N.ltb_lt; exact Hout).
  destruct w as [|a w']; [now apply Hempty|].
  set (w := a :: w') in *. assert (Hne : w <> []) by discriminate.
  change (tree_class T w) with
    (match climb T (depth C (length w)) (map N.succ w) with
     | Some [root] => reading (table_at T (pred (depth C (length w)))) root
     | _ => None
     end).
  destruct (depth_spec C (length w) HC) as (D1 & D2 & D3).
  set (d := depth C (length w)) in *.
  assert (Hd' : (d <= bound)%nat).
  { destruct D3 as [->|D3]; auto. destruct (Nat.le_gt_cases d bound) as [|Hlt]; auto.
    exfalso. assert (C ^ bound <= C ^ pred d)%nat by (apply Nat.pow_le_mono_r; lia). lia. }
  destruct d as [|l]; [lia|]. simpl pred in *. clear D1.
  destruct (climbs w Hw Hin Hne l) as (u & zs & H1 & H2 & H3 & H4); [lia|].
  destruct (level_climbs l u zs) as (u' & zs' & K1 & K2 & K3 & K4 & K5); auto.
  { now rewrite H4. }
  cbn [climb]. rewrite H1. unfold C in K1. cbv beta iota. rewrite K1.
  assert (Z : zs' = []).
  { destruct zs' as [|z zs']; auto. exfalso.
    rewrite H4 in K4. apply (f_equal (@length N)) in K4.
    rewrite app_length, (length_words_of (S l)) in K4 by assumption.
    destruct K2 as ((K2 & _) & _). simpl length in K4.
    assert (C ^ S l <= S (length zs') * C ^ S l)%nat by (simpl; lia). simpl in *. lia. }
  subst zs'. unfold words_of in K4 at 1. simpl in K4. rewrite app_nil_r, H4 in K4.
  change (reading (table_at T l) (fst u') = Some (class M (run M (start M) w))).
  rewrite K5, K4; auto. destruct D3 as [D3|D3]; [left; lia | right; now rewrite K4].
Qed.

End Sound.
