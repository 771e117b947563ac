(** A machine that writes cells by a finite rule adds numbers of every length.

    The bits of two numbers, least significant first, are cells a_1 .. a_n and b_1 .. b_n. The
    machine writes carries c_2 .. c_{n+1} and then a sum e_1 .. e_n, one cell after the other. For
    the cell of number i it reads the cells i - 1 and i of each letter, as far as they are there and
    written, and looks up its row in a table. [adds] says that a machine with [table] writes the sum
    modulo 2^n, whatever n is; that the rows of a network are these is checked by
    [lengthwise certify --check], not here. *)

From Coq Require Import List NArith Arith Bool Lia.
Import ListNotations.

Inductive letter := C | E.
Definition cell := option bool.
Definition cells := list cell.

(** What is written, what is read, and the bit that is right. *)
Definition row := (letter * cells * bool)%type.

(** ** The table *)

Definition bits := [false; true].
Definition both : list (bool * bool) := list_prod bits bits.
Definition start_or_bit : list cell := [None; Some false; Some true].
Definition value (c : cell) : bool := match c with Some b => b | None => false end.
Definition majority (a b c : bool) : bool := (a && b) || (xorb a b && c).

Definition carry_rows : list row :=
  flat_map (fun ab => flat_map (fun c : cell => map (fun next : cell * cell =>
    (C, [Some (fst ab); fst next; Some (snd ab); snd next; c; None; None; None],
     majority (fst ab) (snd ab) (value c)))
    ((None, None) :: map (fun n => (Some (fst n), Some (snd n))) both)) start_or_bit) both.

Definition sum_rows : list row :=
  flat_map (fun ab => flat_map (fun c : cell => map (fun next : bool * bool =>
    let carried := majority (fst ab) (snd ab) (value c) in
    (E, [Some (fst ab); Some (fst next); Some (snd ab); Some (snd next); c; Some carried;
         Some (xorb (xorb (fst ab) (snd ab)) (value c)); None],
     xorb (xorb (fst next) (snd next)) carried)) both) start_or_bit) both.

Definition first_rows : list row :=
  map (fun ab => (E, [None; Some (fst ab); None; Some (snd ab); None; None; None; None],
                  xorb (fst ab) (snd ab))) both.

Definition table : list row := carry_rows ++ sum_rows ++ first_rows.

Theorem table_has_112_rows : length table = 112.
Proof. reflexivity. Qed.

Definition same_letter (x y : letter) : bool :=
  match x, y with C, C | E, E => true | _, _ => false end.
Definition same_cell (x y : cell) : bool :=
  match x, y with Some a, Some b => Bool.eqb a b | None, None => true | _, _ => false end.
Fixpoint same_cells (x y : cells) : bool :=
  match x, y with
  | [], [] => true
  | a :: x, b :: y => same_cell a b && same_cells x y
  | _, _ => false
  end.

(** The bit of the first row of a table that fits. *)
Fixpoint look_up (t : list row) (l : letter) (read : cells) : cell :=
  match t with
  | [] => None
  | (l', read', b) :: t =>
      if same_letter l l' && same_cells read read' then Some b else look_up t l read
  end.

(** ** The machine *)

(** Cell i of a tape whose first cell has the number [first]. *)
Definition at_number (first : nat) (tape : list bool) (i : nat) : cell :=
  if i <? first then None else nth_error tape (i - first).

Definition read (a b c e : list bool) (i : nat) : cells :=
  [at_number 1 a (i - 1); at_number 1 a i; at_number 1 b (i - 1); at_number 1 b i;
   at_number 2 c (i - 1); at_number 2 c i; at_number 1 e (i - 1); at_number 1 e i].

(** The carries after [steps] steps: the next one has the number of those that there are, plus 2. *)
Fixpoint write_carries (t : list row) (a b : list bool) (steps : nat) : option (list bool) :=
  match steps with
  | O => Some []
  | S steps =>
      match write_carries t a b steps with
      | None => None
      | Some c =>
          match look_up t C (read a b c [] (length c + 2)) with
          | Some bit => Some (c ++ [bit])
          | None => None
          end
      end
  end.

Fixpoint write_sum (t : list row) (a b c : list bool) (steps : nat) : option (list bool) :=
  match steps with
  | O => Some []
  | S steps =>
      match write_sum t a b c steps with
      | None => None
      | Some e =>
          match look_up t E (read a b c e (length e + 1)) with
          | Some bit => Some (e ++ [bit])
          | None => None
          end
      end
  end.

(** What the machine writes after two numbers of n bits: the carries and the sum. *)
Definition add (t : list row) (a b : list bool) : option (list bool * list bool) :=
  match write_carries t a b (length a) with
  | None => None
  | Some c =>
      match write_sum t a b c (length a) with
      | None => None
      | Some e => Some (c, e)
      end
  end.

(** ** Numbers *)

Local Open Scope N_scope.

Definition bit_value (b : bool) : N := if b then 1 else 0.

(** The number with these bits, least significant first. *)
Fixpoint number (l : list bool) : N :=
  match l with
  | [] => 0
  | b :: l => bit_value b + 2 * number l
  end.

Local Close Scope N_scope.

(** ** What is right *)

Definition bit (l : list bool) (i : nat) : bool := nth i l false.

(** The carry into bit i, counted from 0. *)
Fixpoint carry (a b : list bool) (i : nat) : bool :=
  match i with
  | O => false
  | S i => majority (bit a i) (bit b i) (carry a b i)
  end.

Definition sum_bit (a b : list bool) (i : nat) : bool :=
  xorb (xorb (bit a i) (bit b i)) (carry a b i).

Definition carries (a b : list bool) (n : nat) : list bool :=
  map (fun i => carry a b (S i)) (seq 0 n).
Definition sum_bits (a b : list bool) (n : nat) : list bool := map (sum_bit a b) (seq 0 n).

Lemma nth_error_bit l i : i < length l -> nth_error l i = Some (bit l i).
Proof. intros H. apply nth_error_nth'. exact H. Qed.

Lemma nth_error_map_seq {A} (f : nat -> A) n i : i < n -> nth_error (map f (seq 0 n)) i = Some (f i).
Proof.
  intros H. rewrite (nth_error_nth' _ (f 0)) by (rewrite map_length, seq_length; exact H).
  rewrite map_nth, seq_nth by exact H. reflexivity.
Qed.

Lemma map_seq_S {A} (f : nat -> A) n : map f (seq 0 (S n)) = map f (seq 0 n) ++ [f n].
Proof. rewrite seq_S, map_app. reflexivity. Qed.

Lemma at_number_none first tape i : first + length tape <= i -> at_number first tape i = None.
Proof.
  intros H. unfold at_number. destruct (i <? first) eqn:Hi; [reflexivity|].
  apply Nat.ltb_ge in Hi. apply nth_error_None. lia.
Qed.

Lemma at_number_before first tape i : i < first -> at_number first tape i = None.
Proof. intros H. unfold at_number. apply Nat.ltb_lt in H. rewrite H. reflexivity. Qed.

Lemma at_number_bit tape i : i < length tape -> at_number 1 tape (S i) = Some (bit tape i).
Proof. intros H. unfold at_number. simpl. rewrite Nat.sub_0_r. apply nth_error_bit, H. Qed.

Lemma length_map_seq {A} (f : nat -> A) n : length (map f (seq 0 n)) = n.
Proof. rewrite map_length, seq_length. reflexivity. Qed.

(** The carry into bit i as a cell: c_1 is no cell. *)
Definition carry_cell (a b : list bool) (i : nat) : cell :=
  match i with O => None | S _ => Some (carry a b i) end.

Lemma at_number_carry a b n i : i <= n ->
  at_number 2 (carries a b n) (S i) = carry_cell a b i.
Proof.
  intros H. destruct i as [|i]; [reflexivity|].
  unfold at_number. replace (S (S i) <? 2) with false by (symmetry; apply Nat.ltb_ge; lia).
  replace (S (S i) - 2) with i by lia. unfold carries. rewrite nth_error_map_seq by lia.
  reflexivity.
Qed.

Lemma value_carry_cell a b i : value (carry_cell a b i) = carry a b i.
Proof. destruct i; reflexivity. Qed.

(** ** The rows that occur are in the table *)

Lemma look_up_carry (x y : bool) (c : cell) (next : option (bool * bool)) :
  look_up table C
    [Some x; option_map fst next; Some y; option_map snd next; c; None; None; None]
  = Some (majority x y (value c)).
Proof. destruct x, y, c as [[|]|], next as [[[|] [|]]|]; reflexivity. Qed.

Lemma look_up_sum (x y x' y' : bool) (c : cell) :
  look_up table E
    [Some x; Some x'; Some y; Some y'; c; Some (majority x y (value c));
     Some (xorb (xorb x y) (value c)); None]
  = Some (xorb (xorb x' y') (majority x y (value c))).
Proof. destruct x, y, x', y', c as [[|]|]; reflexivity. Qed.

Lemma look_up_first (x y : bool) :
  look_up table E [None; Some x; None; Some y; None; None; None; None] = Some (xorb x y).
Proof. destruct x, y; reflexivity. Qed.

Lemma writes_carries a b : length a = length b -> forall m, m <= length a ->
  write_carries table a b m = Some (carries a b m).
Proof.
  intros Hab m. induction m as [|m IH]; intros Hm; [reflexivity|].
  cbn [write_carries]. rewrite IH by lia.
  set (c := carries a b m). assert (Hc : length c = m) by apply length_map_seq.
  rewrite Hc. unfold read. replace (m + 2 - 1) with (S m) by lia.
  replace (m + 2) with (S (S m)) by lia.
  rewrite !(at_number_none 1 []) by (simpl; lia).
  rewrite (at_number_none 2 c (S (S m))) by lia.
  rewrite (at_number_bit a m) by lia. rewrite (at_number_bit b m) by lia.
  unfold c at 1. rewrite at_number_carry by lia.
  set (next := if S m <? length a then Some (bit a (S m), bit b (S m)) else None).
  assert (Ha : at_number 1 a (S (S m)) = option_map fst next).
  { unfold next. destruct (Nat.ltb_spec (S m) (length a)).
    - apply at_number_bit; lia.
    - apply at_number_none; lia. }
  assert (Hb : at_number 1 b (S (S m)) = option_map snd next).
  { unfold next. destruct (Nat.ltb_spec (S m) (length a)).
    - apply at_number_bit; lia.
    - apply at_number_none; lia. }
  rewrite Ha, Hb, look_up_carry, value_carry_cell.
  unfold c, carries. rewrite map_seq_S. reflexivity.
Qed.

Lemma writes_sum a b : length a = length b -> forall m, m <= length a ->
  write_sum table a b (carries a b (length a)) m = Some (sum_bits a b m).
Proof.
  intros Hab m. induction m as [|m IH]; intros Hm; [reflexivity|].
  cbn [write_sum]. rewrite IH by lia.
  set (e := sum_bits a b m). assert (He : length e = m) by apply length_map_seq.
  rewrite He. unfold read. replace (m + 1 - 1) with m by lia.
  replace (m + 1) with (S m) by lia.
  rewrite (at_number_none 1 e (S m)) by lia.
  rewrite (at_number_bit a m) by lia. rewrite (at_number_bit b m) by lia.
  rewrite (at_number_carry a b (length a) m) by lia.
  assert (Next : sum_bits a b (S m) = e ++ [sum_bit a b m]) by apply map_seq_S.
  rewrite Next. unfold sum_bit. destruct m as [|m].
  - rewrite !at_number_before by lia. cbn [carry_cell carry]. rewrite look_up_first.
    rewrite xorb_false_r. reflexivity.
  - rewrite (at_number_bit a m) by lia. rewrite (at_number_bit b m) by lia.
    rewrite (at_number_carry a b (length a) m) by lia.
    assert (Before : at_number 1 e (S m)
      = Some (xorb (xorb (bit a m) (bit b m)) (value (carry_cell a b m)))).
    { unfold at_number. cbn [Nat.ltb Nat.leb]. rewrite Nat.sub_succ, Nat.sub_0_r.
      unfold e, sum_bits. rewrite nth_error_map_seq by lia.
      rewrite value_carry_cell. reflexivity. }
    rewrite Before. cbn [carry_cell carry]. rewrite <- (value_carry_cell a b m).
    rewrite look_up_sum. reflexivity.
Qed.

(** ** The sum is a sum *)

Local Open Scope N_scope.

Lemma number_app l x : number (l ++ [x]) = number l + 2 ^ N.of_nat (length l) * bit_value x.
Proof.
  induction l as [|y l IH]; cbn [app length number].
  - change (N.of_nat 0) with 0. rewrite N.pow_0_r. lia.
  - rewrite IH, Nat2N.inj_succ, N.pow_succ_r'. lia.
Qed.

Lemma firstn_S l m : (m < length l)%nat -> firstn (S m) l = firstn m l ++ [bit l m].
Proof.
  revert m. induction l as [|x l IH]; simpl; intros [|m] H; try lia; [reflexivity|].
  rewrite IH by lia. reflexivity.
Qed.

Lemma sum_so_far a b : length a = length b -> forall m, (m <= length a)%nat ->
  number (sum_bits a b m) + 2 ^ N.of_nat m * bit_value (carry a b m)
  = number (firstn m a) + number (firstn m b).
Proof.
  intros Hab m. induction m as [|m IH]; intros Hm; [reflexivity|].
  specialize (IH ltac:(lia)).
  unfold sum_bits. rewrite map_seq_S, number_app. fold (sum_bits a b m).
  unfold sum_bits at 2. rewrite length_map_seq, !firstn_S, !number_app by lia.
  rewrite !firstn_length_le by lia. rewrite Nat2N.inj_succ, N.pow_succ_r'. cbn [carry].
  unfold sum_bit. revert IH. generalize (2 ^ N.of_nat m) as power.
  generalize (number (sum_bits a b m)) as low. intros low power.
  destruct (bit a m), (bit b m), (carry a b m); cbn [bit_value majority xorb andb orb]; lia.
Qed.

Lemma number_below l : number l < 2 ^ N.of_nat (length l).
Proof.
  induction l as [|x l IH]; cbn [number length]; [simpl; lia|].
  rewrite Nat2N.inj_succ, N.pow_succ_r'. destruct x; cbn [bit_value]; lia.
Qed.

(** A machine that follows the table writes the carries and the sum modulo 2^n of any two n-bit
    numbers. *)
Theorem adds (a b : list bool) : length a = length b ->
  exists e, add table a b = Some (carries a b (length a), e) /\
    length e = length a /\
    number e = (number a + number b) mod 2 ^ N.of_nat (length a).
Proof.
  intros Hab. exists (sum_bits a b (length a)).
  unfold add. rewrite writes_carries, writes_sum by auto. split; [reflexivity|].
  assert (He : length (sum_bits a b (length a)) = length a) by apply length_map_seq.
  split; [exact He|].
  pose proof (sum_so_far a b Hab (length a) (le_n _)) as H.
  rewrite firstn_all, Hab, firstn_all, <- Hab in H.
  pose proof (number_below (sum_bits a b (length a))) as Below. rewrite He in Below.
  apply N.mod_unique with (bit_value (carry a b (length a))); lia.
Qed.

(** The same for every table with these rows, in any order, and perhaps others. *)
Theorem adds_by (t : list row) :
  (forall l r x, look_up table l r = Some x -> look_up t l r = Some x) ->
  forall a b : list bool, length a = length b ->
  exists e, add t a b = Some (carries a b (length a), e) /\
    number e = (number a + number b) mod 2 ^ N.of_nat (length a).
Proof.
  intros Ht a b Hab. destruct (adds a b Hab) as (e & He & _ & Hn). exists e. split; [|exact Hn].
  revert He. unfold add.
  assert (Hc : forall m c, write_carries table a b m = Some c -> write_carries t a b m = Some c).
  { induction m as [|m IH]; cbn [write_carries]; intros c; [auto|].
    destruct (write_carries table a b m) as [c'|]; [|discriminate].
    rewrite (IH c' eq_refl).
    match goal with |- context [look_up table ?l ?r] => destruct (look_up table l r) eqn:L end;
      [|discriminate].
    rewrite (Ht _ _ _ L). auto. }
  assert (Hs : forall c m e, write_sum table a b c m = Some e -> write_sum t a b c m = Some e).
  { intros c. induction m as [|m IH]; cbn [write_sum]; intros e'; [auto|].
    destruct (write_sum table a b c m) as [e''|]; [|discriminate].
    rewrite (IH e'' eq_refl).
    match goal with |- context [look_up table ?l ?r] => destruct (look_up table l r) eqn:L end;
      [|discriminate].
    rewrite (Ht _ _ _ L). auto. }
  destruct (write_carries table a b (length a)) as [c|] eqn:Ec; [|discriminate].
  rewrite (Hc _ _ Ec).
  destruct (write_sum table a b c (length a)) as [e'|] eqn:Es; [|discriminate].
  rewrite (Hs _ _ _ Es). auto.
Qed.

Print Assumptions table_has_112_rows.
Print Assumptions adds.
Print Assumptions adds_by.
