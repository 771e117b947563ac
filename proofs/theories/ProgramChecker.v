(** The checker of programs in C, and the proof of it.

    It calls the functions with all states and symbols. For all larger numbers at once it follows
    what is known of a number: itself, or the least that it can be. *)

From Coq Require Import List NArith Arith Bool Lia Strings.Byte FMapPositive.
From Lengthwise Require Import Words Data Arrays Programs.
Import ListNotations.
Local Open Scope N_scope.

(** * Numbers that are not known *)

Inductive known := Is (n : N) | From (n : N).

Definition covers (k : known) (n : N) : Prop := match k with Is m => n = m | From m => m <= n end.

Section Known.

Variable p : program.

Definition operand_known (ks : list (name * known)) (x : name) : option known :=
  match number x, find x ks with
  | Some n, _ => Some (Is n)
  | None, Some k => Some k
  | None, None => option_map Is (find x (constants p))
  end.

Definition exactly (ks : list (name * known)) (x : name) : option N :=
  match operand_known ks x with Some (Is n) => Some n | _ => None end.

Definition evaluate_known (ks : list (name * known)) (e : expression) : option known :=
  match e with
  | Operand x => operand_known ks x
  | Entry table i =>
      match find table p, exactly ks i with
      | Some (Vector entries), Some i => option_map Is (entry_at entries i)
      | _, _ => None
      end
  | Entry_of_row table i j =>
      match find table p, exactly ks i, exactly ks j with
      | Some (Matrix rows), Some i, Some j =>
          do row <- entry_at rows i; option_map Is (entry_at row j)
      | _, _, _ => None
      end
  end.

Fixpoint one_holds_known (ks : list (name * known)) (cs : list (name * name)) : option bool :=
  match cs with
  | [] => Some false
  | (x, y) :: others =>
      match operand_known ks x, exactly ks y with
      | Some (Is x), Some y => if y <=? x then Some true else one_holds_known ks others
      | Some (From x), Some y => if y <=? x then Some true else None
      | _, _ => None
      end
  end.

Fixpoint execute_known (ks : list (name * known)) (body : list statement) : option known :=
  match body with
  | [] => None
  | Return e :: _ => evaluate_known ks e
  | Return_if cs e :: others =>
      do holds <- one_holds_known ks cs;
      if holds then evaluate_known ks e else execute_known ks others
  end.

Definition call_known (f : name) (arguments : list known) : option known :=
  match find f p with
  | Some (Function f) =>
      if has_length (N.of_nat (length arguments)) (parameters f)
      then execute_known (combine (parameters f) arguments) (body f) else None
  | _ => None
  end.

Definition fits (ks : list (name * known)) (ns : list (name * N)) : Prop :=
  Forall2 (fun k n => fst k = fst n /\ covers (snd k) (snd n)) ks ns.

Lemma find_fits x ks ns : fits ks ns ->
  match find x ks, find x ns with
  | Some k, Some n => covers k n
  | None, None => True
  | _, _ => False
  end.
Proof.
  induction 1 as [|[y k] [z n] ks ns [E H] _ IH]; simpl in *; auto.
  subst z. destruct (same_name x y); auto.
Qed.

Lemma operand_fits x ks ns k : fits ks ns -> operand_known ks x = Some k ->
  exists n, operand p ns x = Some n /\ covers k n.
Proof.
  intros H. apply (find_fits x) in H. unfold operand_known, operand.
  destruct (number x) as [n|].
  - intros [= <-]. exists n. now split.
  - destruct (find x ks), (find x ns); try easy.
    + intros [= <-]. eauto.
    + destruct (find x (constants p)) as [n|]; [|easy]. intros [= <-]. exists n. now split.
Qed.

Lemma exactly_fits x ks ns n : fits ks ns -> exactly ks x = Some n -> operand p ns x = Some n.
Proof.
  intros H. unfold exactly. destruct (operand_known ks x) as [[m|m]|] eqn:E; try easy.
  intros [= <-]. destruct (operand_fits x ks ns (Is m) H E) as (n & -> & ->). reflexivity.
Qed.

Lemma evaluate_fits e ks ns k : fits ks ns -> evaluate_known ks e = Some k ->
  exists n, evaluate p ns e = Some n /\ covers k n.
Proof.
  intros H. destruct e as [x|table i|table i j]; simpl.
  - now apply operand_fits.
  - destruct (find table p) as [[| | |]|]; try easy.
    destruct (exactly ks i) as [m|] eqn:E; [|easy]. rewrite (exactly_fits i ks ns m H E).
    destruct (entry_at entries m) as [n|]; [|easy]. intros [= <-]. exists n. now split.
  - destruct (find table p) as [[| | |]|]; try easy.
    destruct (exactly ks i) as [m|] eqn:E; [|easy]. rewrite (exactly_fits i ks ns m H E).
    destruct (exactly ks j) as [l|] eqn:F; [|easy]. rewrite (exactly_fits j ks ns l H F).
    destruct (entry_at rows m) as [row|]; [|easy].
    destruct (entry_at row l) as [n|]; [|easy]. intros [= <-]. exists n. now split.
Qed.

Lemma one_holds_fits cs ks ns b : fits ks ns -> one_holds_known ks cs = Some b ->
  one_holds p ns cs = Some b.
Proof.
  intros H. induction cs as [|[x y] cs IH]; simpl; auto.
  destruct (operand_known ks x) as [k|] eqn:E; [|easy].
  destruct (operand_fits x ks ns k H E) as (n & -> & C).
  destruct (exactly ks y) as [m|] eqn:F; [|now destruct k].
  rewrite (exactly_fits y ks ns m H F).
  destruct k as [l|l]; simpl in C.
  - subst n. destruct (m <=? l); auto.
  - destruct (N.leb_spec m l); [|easy]. intros [= <-]. destruct (N.leb_spec m n); [auto|lia].
Qed.

Lemma execute_fits body ks ns k : fits ks ns -> execute_known ks body = Some k ->
  exists n, execute p ns body = Some n /\ covers k n.
Proof.
  intros H. induction body as [|[e|cs e] body IH]; simpl; [easy| |].
  - now apply evaluate_fits.
  - destruct (one_holds_known ks cs) as [b|] eqn:E; [|easy].
    rewrite (one_holds_fits cs ks ns b H E). destruct b; auto. now apply evaluate_fits.
Qed.

Lemma call_fits f ks ns k : Forall2 covers ks ns -> call_known f ks = Some k ->
  exists n, call p f ns = Some n /\ covers k n.
Proof.
  intros H. unfold call_known, call. destruct (find f p) as [[| | |g]|]; try easy.
  assert (E : length ks = length ns) by (clear - H; induction H; simpl; congruence).
  rewrite <- E. clear E.
  destruct (has_length (N.of_nat (length ks)) (parameters g)); [|easy].
  apply execute_fits. generalize (parameters g).
  induction H as [|k' n' ks' ns' C _ IH]; intros [|x xs]; simpl; constructor; auto. apply IH.
Qed.

End Known.

Definition becomes (n : N) (found : option known) : bool :=
  match found with Some (Is m) => m =? n | _ => false end.

Lemma becomes_fits p f ks ns m : Forall2 covers ks ns -> becomes m (call_known p f ks) = true ->
  call p f ns = Some m.
Proof.
  intros H. destruct (call_known p f ks) as [[l|l]|] eqn:E; try easy. simpl. rewrite N.eqb_eq.
  intros <-. now destruct (call_fits p f ks ns (Is l) H E) as (n & -> & ->).
Qed.

(** * Safety *)

Fixpoint numbers_from (i : N) (count : nat) : list N :=
  match count with
  | O => []
  | S count => i :: numbers_from (N.succ i) count
  end.

Lemma in_numbers_from count : forall i n,
  i <= n < i + N.of_nat count -> In n (numbers_from i count).
Proof.
  induction count as [|count IH]; intros i n H; simpl; [lia|].
  destruct (N.eq_dec i n); [now left|right]. apply IH. lia.
Qed.

Definition step_name (x : text) : name := bytes_of x ++ bytes_of "_step".
Definition class_name (x : text) : name := bytes_of x ++ bytes_of "_class".

Definition states_are_safe (p : program) (x : text) (num_symbols outside : N) : bool :=
  becomes outside (call_known p (step_name x) [From outside; From 0])
  && becomes largest (call_known p (class_name x) [From outside])
  && forallb
       (fun s =>
          becomes outside (call_known p (step_name x) [Is s; From num_symbols])
          && match class_in p x s with Some c => negb (c =? largest) | None => false end
          && forallb
               (fun a => match step p x s a with Some t => t <? outside | None => false end)
               (numbers_from 0 (N.to_nat num_symbols)))
       (numbers_from 0 (N.to_nat outside)).

Definition check_safe (source : text) (x : text) (num_symbols : N) : bool :=
  match parse source with
  | None => false
  | Some p =>
      match reset p x with
      | None => false
      | Some first =>
          match call_known p (step_name x) [Is first; From num_symbols] with
          | Some (Is outside) => states_are_safe p x num_symbols outside
          | _ => false
          end
      end
  end.

Theorem program_safe (source : text) (x : text) (num_symbols : N) :
  check_safe source x num_symbols = true -> safe source x num_symbols.
Proof.
  unfold check_safe. destruct (parse source) as [p|] eqn:P; [|easy].
  destruct (reset p x) as [first|]; [|easy].
  destruct (call_known p (step_name x) [Is first; From num_symbols]) as [[outside|]|]; try easy.
  unfold states_are_safe. rewrite !andb_true_iff, forallb_forall. intros [[H1 H2] H3].
  exists p, outside. split; auto. intros s a.
  destruct (N.ltb_spec s outside) as [Hs|Hs]; simpl.
  - specialize (H3 s (in_numbers_from (N.to_nat outside) 0 s ltac:(lia))).
    rewrite !andb_true_iff, forallb_forall in H3.
    destruct H3 as [[H3 H4] H5].
    destruct (class_in p x s) as [c|]; [|easy]. apply negb_true_iff, N.eqb_neq in H4.
    destruct (N.ltb_spec a num_symbols) as [Ha|Ha]; simpl.
    + specialize (H5 a (in_numbers_from (N.to_nat num_symbols) 0 a ltac:(lia))).
      destruct (step p x s a) as [t|]; [|easy]. apply N.ltb_lt in H5.
      exists t, c. repeat split; auto; lia.
    + exists outside, c. repeat split; auto; try lia.
      apply (becomes_fits p (step_name x) [Is s; From num_symbols]); auto.
      constructor; [reflexivity|now constructor].
  - exists outside, largest. repeat split; auto.
    + apply (becomes_fits p (step_name x) [From outside; From 0]); auto.
      constructor; [exact Hs|]. constructor; [simpl; lia|constructor].
    + apply (becomes_fits p (class_name x) [From outside]); auto.
Qed.

(** * The classes of words *)

Section Classes.

Variables (p : program) (x : text) (L : language).

(** Triples of a state of the program, of the answers and of the domain. *)
Definition triple : Type := N * (N * N).

Definition after (q : N * N) (a : N) : N * N :=
  (next (answers L) (fst q) a, next (domain L) (snd q) a).

(** A search for the triples that words lead to, each with a shortest word backwards; [todo] has
    words of one length, [later] longer ones. What it finds is checked below. *)
Record search := {
  found : list (word * triple);
  seen : array (list (N * N));
  todo : list (word * triple);
  later : list (word * triple)
}.

Definition visit (now : search) : search :=
  match todo now with
  | [] => {| found := found now; seen := seen now; todo := later now; later := [] |}
  | (w, (s, q)) :: others =>
      if has same_pair (seen now) s q then
        {| found := found now; seen := seen now; todo := others; later := later now |}
      else
        let follow a :=
          match step p x s a with Some t => [(a :: w, (t, after q a))] | None => [] end in
        {| found := (w, (s, q)) :: found now;
           seen := put s (q :: at_ [] (seen now) s) (seen now);
           todo := others;
           later := flat_map follow (symbols_of L) ++ later now |}
  end.

(** Visit until nothing is to do, but at most 2 ^ n times. *)
Fixpoint visits (n : nat) (now : search) : search :=
  match todo now, later now, n with
  | [], [], _ => now
  | _, _, O => visit now
  | _, _, S n => visits n (visits n now)
  end.

Definition first_of (first : N) : triple := (first, (start (answers L), start (domain L))).

Definition explored (first : N) : list (word * triple) :=
  rev' (found (visits 40 {| found := []; seen := PositiveMap.empty _;
                            todo := [([], first_of first)]; later := [] |})).

Definition is_right (t : triple) : bool :=
  let '(s, q) := t in
  if class (domain L) (snd q) =? 1 then
    match class_in p x s with
    | Some c => c =? class (answers L) (fst q)
    | None => false
    end
  else true.

Definition all_follow (first : N) (triples : list triple) : bool :=
  let index := index triples in
  has same_pair index first (snd (first_of first))
  && forallb
       (fun '(s, q) =>
          is_right (s, q)
          && forallb
               (fun a =>
                  match step p x s a with
                  | Some t => has same_pair index t (after q a)
                  | None => false
                  end)
               (symbols_of L))
       triples.

Lemma follows first triples : all_follow first triples = true ->
  forall w s q, In (s, q) triples -> is_word L w ->
  exists t, state_after p x s w = Some t
    /\ In (t, (run (answers L) (fst q) w, run (domain L) (snd q) w)) triples.
Proof.
  unfold all_follow. rewrite andb_true_iff, forallb_forall. intros [_ H] w.
  induction w as [|a w IH]; intros s q Hin Hw; simpl.
  - exists s. destruct q. auto.
  - inversion Hw as [|? ? Ha Hw']; subst.
    specialize (H (s, q) Hin). simpl in H. rewrite andb_true_iff, forallb_forall in H.
    destruct H as [_ H]. specialize (H a (proj2 (in_up_to _ _) Ha)).
    destruct (step p x s a) as [t|]; [|easy].
    apply has_in in H; [|apply same_pair_eq]. exact (IH t (after q a) H Hw').
Qed.

End Classes.

Definition check_program (source : text) (x : text) (L : language) : bool :=
  match parse source with
  | None => false
  | Some p =>
      match reset p x with
      | None => false
      | Some first =>
          all_follow p x L first (map snd (explored p x L first))
      end
  end.

(** Whether a header is a program, and a shortest word with another class than its own: why a check
    fails. *)
Definition is_program (source : text) : bool :=
  match parse source with Some _ => true | None => false end.

Definition wrong_word (source : text) (x : text) (L : language) : option word :=
  do p <- parse source;
  do first <- reset p x;
  do (w, _) <- List.find (fun one => negb (is_right p x L (snd one))) (explored p x L first);
  Some (rev w).

Theorem program_right (source : text) (x : text) (L : language) :
  check_program source x L = true ->
  forall w : word, is_word L w -> in_domain L w ->
  program_class source x w = Some (class_of (answers L) w).
Proof.
  unfold check_program, program_class. destruct (parse source) as [p|]; [|easy].
  destruct (reset p x) as [first|]; [|easy].
  generalize (map snd (explored p x L first)).
  intros triples H w Hw Hd. pose proof (follows p x L first triples H) as F.
  unfold all_follow in H. rewrite andb_true_iff, forallb_forall in H. destruct H as [H1 H2].
  apply has_in in H1; [|apply same_pair_eq].
  destruct (F w first _ H1 Hw) as (t & -> & Hin). simpl in Hin.
  specialize (H2 _ Hin). simpl in H2. rewrite andb_true_iff in H2. destruct H2 as [H2 _].
  unfold in_domain, class_of in Hd. rewrite Hd in H2. simpl in H2.
  destruct (class_in p x t) as [c|]; [|easy]. apply N.eqb_eq in H2. now subst.
Qed.

Print Assumptions program_safe.
Print Assumptions program_right.
