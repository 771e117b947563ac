(** The checker of networks that read symbol by symbol, and the proof of it.

    A certificate lists pairs (code, state of the machine) of prefixes. The checker asks whether
    every symbol that begins a word of the domain leads from a pair to a pair, and whether the code
    of every pair is read as the class of its state. *)

From Coq Require Import List NArith Arith Bool Lia.
From Lengthwise Require Import Words Data Arrays.
Import ListNotations.
Local Open Scope N_scope.

Record prefixes := {
  reader : automaton;
  num_reader_states : N;
  outside_class : N;
  matched_states : list (N * (N * N));
  reached : list (N * N);  (** (code, state) *)
  hopeful : N -> N         (** 1 for states from which some word leads into the domain *)
}.

Section Checker.

Variables (R : recurrence) (L : language) (P : prefixes).

Let M := reader P.

Definition asked (s : N) : bool := class M s <? outside_class P.

Definition can_end (s : N) : bool := hopeful P s =? 1.

Definition check_recurrence : bool :=
  let known := index (reached P) in
  let n := num_reader_states P in
  closed M n L
  && matches L M (outside_class P) (matched_states P)
  && forallb
       (fun s =>
          implb (asked s || existsb (fun a => can_end (next M s a)) (symbols_of L)) (can_end s))
       (up_to n)
  && implb (can_end (start M)) (has N.eqb known (first_code R) (start M))
  && forallb
       (fun '(e, s) =>
          (if asked s then
             match code_class R e with
             | Some c => c =? class M s
             | None => false
             end
           else true)
          && forallb
               (fun a =>
                  if can_end (next M s a) then
                    match next_code R e a with
                    | Some after => has N.eqb known after (next M s a)
                    | None => false
                    end
                  else true)
               (symbols_of L))
       (reached P).

Hypothesis accepted : check_recurrence = true.

Let n := num_reader_states P.

Lemma parts :
  closed M n L = true /\ matches L M (outside_class P) (matched_states P) = true
  /\ (forall s, s < n ->
      asked s = true \/ (exists a, a < num_symbols L /\ can_end (next M s a) = true) ->
      can_end s = true)
  /\ (can_end (start M) = true -> In (first_code R, start M) (reached P))
  /\ (forall e s, In (e, s) (reached P) -> asked s = true -> code_class R e = Some (class M s))
  /\ (forall e s a, In (e, s) (reached P) -> a < num_symbols L ->
      can_end (next M s a) = true ->
      exists after, next_code R e a = Some after /\ In (after, next M s a) (reached P)).
Proof.
  unfold check_recurrence in accepted. rewrite !andb_true_iff, !forallb_forall in accepted.
  destruct accepted as [[[[H1 H2] H3] H4] H5]. repeat split; auto.
  - intros s Hs H. specialize (H3 s). rewrite in_up_to in H3. specialize (H3 Hs).
    destruct (asked s || existsb (fun a => can_end (next M s a)) (symbols_of L)) eqn:O;
      [exact H3|].
    apply orb_false_iff in O. destruct O as [O1 O2]. exfalso. destruct H as [H|(a & Ha & H)].
    + congruence.
    + assert (X : existsb (fun a => can_end (next M s a)) (symbols_of L) = true).
      { apply existsb_exists. exists a. split; auto. now apply in_up_to. }
      congruence.
  - intros H. rewrite H in H4. simpl in H4. now apply has_in in H4; [|apply neqb_eq].
  - intros e s Hin Ha. specialize (H5 _ Hin). simpl in H5. rewrite andb_true_iff in H5.
    destruct H5 as [H5 _]. rewrite Ha in H5. destruct (code_class R e); [|discriminate].
    apply N.eqb_eq in H5. now subst.
  - intros e s a Hin Ha Hc. specialize (H5 _ Hin). simpl in H5.
    rewrite andb_true_iff, forallb_forall in H5. destruct H5 as [_ H5].
    specialize (H5 a (proj2 (in_up_to _ _) Ha)). rewrite Hc in H5.
    destruct (next_code R e a) as [after|]; [|discriminate]. exists after. split; auto.
    now apply has_in in H5; [|apply neqb_eq].
Qed.

Lemma can_end_before w : forall s, s < n -> is_word L w -> asked (run M s w) = true ->
  can_end s = true.
Proof.
  destruct parts as (Hcl & _ & H & _).
  induction w as [|a w IH]; intros s Hs Hw Ha.
  - apply H; auto.
  - inversion Hw; subst. apply H; auto. right. exists a. split; auto. apply IH; auto.
    change (next M s a) with (run M s [a]). apply (run_below M n L Hcl); auto.
    constructor; auto.
Qed.

Lemma follows w : forall e s, s < n -> is_word L w -> In (e, s) (reached P) ->
  asked (run M s w) = true ->
  exists code, code_after R e w = Some code /\ In (code, run M s w) (reached P).
Proof.
  destruct parts as (Hcl & _ & _ & _ & _ & H).
  induction w as [|a w IH]; intros e s Hs Hw Hin Ha; simpl; eauto.
  inversion Hw as [|? ? Hsym Hw']; subst.
  assert (Hn : next M s a < n).
  { change (next M s a) with (run M s [a]). apply (run_below M n L Hcl); auto.
    constructor; auto. }
  destruct (H e s a Hin Hsym) as (after & -> & Hin'); [apply can_end_before with w; auto|].
  now apply IH.
Qed.

Lemma recurrence_right w : is_word L w -> in_domain L w ->
  recurrence_class R w = Some (class_of (answers L) w).
Proof.
  intros Hw Hd. destruct parts as (Hcl & Hm & _ & Hfirst & Hread & _).
  destruct (matches_sound L M _ _ Hm w Hw Hd) as [<- Hout].
  assert (Ha : asked (run M (start M) w) = true) by (apply N.ltb_lt; exact Hout).
  pose proof (start_below M n L Hcl) as Hs.
  destruct (follows w (first_code R) (start M) Hs Hw) as (code & Hc & Hin); auto.
  { apply Hfirst. apply can_end_before with w; auto. }
  unfold recurrence_class. rewrite Hc. now apply Hread.
Qed.

End Checker.
