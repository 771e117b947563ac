(** Bounds on exp, the logistic function, tanh, roots and quotients, by whole numbers.

    A number z of [places] binary places stands for z / 2^places. A function is enclosed between two
    of them, which are computed with whole numbers alone. *)

From Coq Require Import ZArith Reals Lra Lia Psatz List.
From Flocq Require Import Core.
From Lengthwise Require Import Floats Balls.
Import ListNotations.
Local Open Scope Z_scope.

Definition val (places z : Z) : R := (IZR z * unit_ places)%R.

(** Between the two ends. *)
Definition between (places : Z) (ends : Z * Z) (x : R) : Prop :=
  (val places (fst ends) <= x <= val places (snd ends))%R.

Section Places.

Variable P : Z.
Hypothesis P_pos : 0 <= P.

Definition one : Z := 2 ^ P.

(** Bounds on 1 - t / j (1 - t / (j + 1) (1 - ...)), with [steps] divisions and a number of 0 to 1
    at the end. *)
Fixpoint nested_ends (t j : Z) (steps : nat) : Z * Z :=
  match steps with
  | O => (0, one)
  | S fewer =>
      let '(low, high) := nested_ends t (j + 1) fewer in
      (one - (Z.shiftr (t * high) P / j + 1), one - Z.shiftr (t * low) P / j)
  end.

(** Bounds on the square of a number that is not negative. *)
Definition square_ends (ends : Z * Z) : Z * Z :=
  (Z.shiftr (fst ends * fst ends) P, Z.shiftr (snd ends * snd ends) P + 1).

(** Bounds on e^-x for x from 0 to 128. *)
Definition shrink_ends (x : Z) : Z * Z :=
  let '(low, high) := nested_ends (Z.shiftr x 7) 1 23 in
  Nat.iter 7 square_ends (Z.max 0 low, high).

Local Open Scope R_scope.


Lemma unit_positive places : 0 < unit_ places.
Proof. apply bpow_gt_0. Qed.

Lemma val_mono places a b : (a <= b)%Z -> val places a <= val places b.
Proof. intros H. apply Rmult_le_compat_r; [apply Rlt_le, unit_positive | now apply IZR_le]. Qed.

Lemma val_0 places : val places 0 = 0.
Proof. unfold val. ring. Qed.

Lemma val_pos places a : (0 <= a)%Z -> 0 <= val places a.
Proof. intros H. rewrite <- (val_0 places). now apply val_mono. Qed.

Lemma val_plus places a b : val places (a + b)%Z = val places a + val places b.
Proof. unfold val. rewrite plus_IZR. ring. Qed.

Lemma val_minus places a b : val places (a - b)%Z = val places a - val places b.
Proof. unfold val. rewrite minus_IZR. ring. Qed.

Lemma val_one : val P one = 1.
Proof. unfold val, one. rewrite IZR_pow by assumption. apply unit_inverse. Qed.

Lemma val_product a b :
  val P (Z.shiftr (a * b) P)%Z <= val P a * val P b <= val P (Z.shiftr (a * b) P + 1)%Z.
Proof.
  pose proof (shiftr_bounds Floats.single (a * b) P P_pos) as H. fold (unit_ P) in H.
  pose proof (unit_positive P) as Hk. rewrite mult_IZR in H. unfold val. rewrite plus_IZR.
  split.
  - replace (IZR a * unit_ P * (IZR b * unit_ P)) with (IZR a * IZR b * unit_ P * unit_ P) by ring.
    apply Rmult_le_compat_r; lra.
  - replace (IZR a * unit_ P * (IZR b * unit_ P)) with (IZR a * IZR b * unit_ P * unit_ P) by ring.
    apply Rmult_le_compat_r; lra.
Qed.

Lemma val_shared a j : (0 < j)%Z -> val P (a / j)%Z <= val P a / IZR j /\ val P (a + 1)%Z / IZR j <= val P (a / j + 1)%Z.
Proof.
  intros Hj. pose proof (Z.div_mod a j ltac:(lia)) as E. pose proof (Z.mod_pos_bound a j Hj) as M.
  apply IZR_lt in Hj. pose proof (unit_positive P) as Hk. unfold val.
  assert (A : IZR (a / j) <= IZR a / IZR j).
  { apply Rmult_le_reg_r with (IZR j); auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- mult_IZR by lra. apply IZR_le. nia. }
  assert (B : IZR (a + 1) / IZR j <= IZR (a / j + 1)).
  { apply Rmult_le_reg_r with (IZR j); auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- mult_IZR by lra. apply IZR_le. nia. }
  unfold Rdiv in *. split.
  - replace (IZR a * unit_ P * / IZR j) with (IZR a * / IZR j * unit_ P) by ring.
    apply Rmult_le_compat_r; lra.
  - replace (IZR (a + 1) * unit_ P * / IZR j) with (IZR (a + 1) * / IZR j * unit_ P) by ring.
    apply Rmult_le_compat_r; lra.
Qed.

(** ** e^-x *)

Fixpoint nested (t h : R) (j steps : nat) : R :=
  match steps with
  | O => h
  | S fewer => 1 - t / INR j * nested t h (S j) fewer
  end.

Lemma nested_between t h steps : 0 <= h <= 1 -> (0 <= t)%Z -> val P t <= 1 -> forall j, (1 <= j)%nat ->
  between P (nested_ends t (Z.of_nat j) steps) (nested (val P t) h j steps)
  /\ 0 <= nested (val P t) h j steps <= 1.
Proof.
  intros Hh Ht Ht1. pose proof (val_pos P t Ht) as Ht0.
  induction steps as [|n IH]; intros j Hj.
  - split; auto. unfold between. simpl. rewrite val_0, val_one. lra.
  - cbn [nested_ends nested]. specialize (IH (S j) ltac:(lia)).
    replace (Z.of_nat j + 1)%Z with (Z.of_nat (S j)) by lia.
    destruct (nested_ends t (Z.of_nat (S j)) n) as [low high]. unfold between in *. simpl fst in *.
    simpl snd in *. set (x := nested (val P t) h (S j) n) in *. destruct IH as [[L H] [X0 X1]].
    assert (J : 1 <= INR j) by (apply le_INR in Hj; simpl in Hj; lra).
    assert (JZ : (0 < Z.of_nat j)%Z) by lia.
    assert (Tj : 0 <= val P t / INR j <= 1).
    { split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
      apply Rmult_le_reg_r with (INR j); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (I : 0 < / INR j) by (apply Rinv_0_lt_compat; lra).
    rewrite !val_minus, val_one.
    destruct (val_product t high) as [_ Hh2]. destruct (val_product t low) as [Hl2 _].
    destruct (val_shared (Z.shiftr (t * high) P)%Z (Z.of_nat j) JZ) as [_ U].
    destruct (val_shared (Z.shiftr (t * low) P)%Z (Z.of_nat j) JZ) as [D _].
    rewrite <- INR_IZR_INZ in U, D. unfold Rdiv in *.
    assert (val P t * x <= val P t * val P high) by (apply Rmult_le_compat_l; lra).
    assert (val P t * val P low <= val P t * x) by (apply Rmult_le_compat_l; lra).
    assert (val P t * x * / INR j <= val P (Z.shiftr (t * high) P + 1)%Z * / INR j)
      by (apply Rmult_le_compat_r; lra).
    assert (val P (Z.shiftr (t * low) P)%Z * / INR j <= val P t * x * / INR j)
      by (apply Rmult_le_compat_r; lra).
    replace (val P t * / INR j * x) with (val P t * x * / INR j) by ring.
    assert (0 <= val P t * x * / INR j <= 1).
    { replace (val P t * x * / INR j) with (val P t * / INR j * x) by ring.
      split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra. }
    lra.
Qed.

Definition power (t : R) (i : nat) : R := t ^ i / INR (fact i).

Fixpoint alternating (t h : R) (p steps : nat) : R :=
  match steps with
  | O => power t p * h
  | S fewer => power t p - alternating t h (S p) fewer
  end.

Lemma alternating_nested t h steps : forall p,
  alternating t h p steps = power t p * nested t h (S p) steps.
Proof.
  induction steps as [|n IH]; intros p; [reflexivity|]. cbn [alternating nested]. rewrite IH.
  unfold power. rewrite fact_simpl, mult_INR, <- tech_pow_Rmult.
  pose proof (INR_fact_neq_0 p). pose proof (not_0_INR (S p) ltac:(lia)).
  field. auto.
Qed.

Lemma alternating_sum t steps : forall p,
  alternating t 1 p steps = sum_f_R0 (tg_alt (fun i => power t (p + i))) steps
  /\ alternating t 0 p (S steps) = sum_f_R0 (tg_alt (fun i => power t (p + i))) steps.
Proof.
  induction steps as [|n IH]; intros p.
  - simpl. unfold tg_alt. simpl. rewrite Nat.add_0_r. split; ring.
  - assert (D : sum_f_R0 (tg_alt (fun i => power t (p + i))) (S n)
      = power t p - sum_f_R0 (tg_alt (fun i => power t (S p + i))) n).
    { assert (N : forall m, sum_f_R0 (fun i => tg_alt (fun i => power t (p + i)) (S i)) m
        = - sum_f_R0 (tg_alt (fun i => power t (S p + i))) m).
      { assert (One : forall i, tg_alt (fun i => power t (p + i)) (S i)
          = - tg_alt (fun i => power t (S p + i)) i).
        { intros i. unfold tg_alt. replace (p + S i)%nat with (S p + i)%nat by lia.
          rewrite <- (tech_pow_Rmult (-1) i). ring. }
        induction m as [|m IHm]; cbn [sum_f_R0]; rewrite One; [reflexivity|]. rewrite IHm. ring. }
      rewrite decomp_sum by lia. cbn [pred]. rewrite N. unfold tg_alt at 1. simpl pow.
      rewrite Nat.add_0_r. change (Init.Nat.pred (S n)) with n. ring. }
    destruct (IH (S p)) as [A B]. rewrite D, <- A. split; [reflexivity|].
    cbn [alternating] in B |- *. rewrite B, A. reflexivity.
Qed.

Lemma shrinks_between t N : 0 <= t <= 1 ->
  sum_f_R0 (tg_alt (power t)) (S (2 * N)) <= exp (- t) <= sum_f_R0 (tg_alt (power t)) (2 * N).
Proof.
  intros [T0 T1]. apply alternated_series_ineq.
  - intros n. unfold power. rewrite fact_simpl, mult_INR. simpl pow.
    assert (Fn : 0 < INR (fact n)) by apply INR_fact_lt_0.
    assert (Sn : 1 <= INR (S n)) by (rewrite S_INR; pose proof (pos_INR n); lra).
    pose proof (pow_le t n T0) as Pn. unfold Rdiv. rewrite Rinv_mult.
    assert (0 < / INR (fact n)) by now apply Rinv_0_lt_compat.
    assert (0 < / INR (S n) <= 1).
    { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    assert (0 <= t ^ n * / INR (fact n)) by (apply Rmult_le_pos; lra).
    replace (t * t ^ n * (/ INR (S n) * / INR (fact n)))
      with (t * / INR (S n) * (t ^ n * / INR (fact n))) by ring.
    rewrite <- (Rmult_1_l (t ^ n * / INR (fact n))) at 2. apply Rmult_le_compat_r; auto.
    rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra.
  - apply cv_speed_pow_fact.
  - unfold exp. destruct (exist_exp (- t)) as [l Hl]. simpl. unfold exp_in, infinite_sum in Hl.
    intros eps Heps. destruct (Hl eps Heps) as [M HM]. exists M. intros n Hn.
    specialize (HM n Hn).
    replace (sum_f_R0 (tg_alt (power t)) n)
      with (sum_f_R0 (fun i => / INR (fact i) * (- t) ^ i) n); auto.
    apply sum_eq. intros i _. unfold tg_alt, power.
    replace (- t) with (-1 * t) by ring. rewrite Rpow_mult_distr. unfold Rdiv. ring.
Qed.

Lemma square_between ends x : between P ends x -> (0 <= fst ends)%Z -> 0 <= x ->
  between P (square_ends ends) (x * x) /\ (0 <= fst (square_ends ends))%Z.
Proof.
  destruct ends as [low high]. unfold between, square_ends. simpl. intros [L H] Hl Hx.
  pose proof (val_pos P low Hl) as Vl. split; [|apply Z.shiftr_nonneg; nia].
  destruct (val_product low low) as [A _]. destruct (val_product high high) as [_ B]. split.
  - apply Rle_trans with (1 := A). apply Rmult_le_compat; lra.
  - apply Rle_trans with (2 := B). apply Rmult_le_compat; lra.
Qed.

Lemma shrink_between x : (0 <= x)%Z -> Z.shiftl (Z.shiftr x 7) 7 = x -> val P x <= 128 ->
  between P (shrink_ends x) (exp (- val P x)) /\ (0 <= fst (shrink_ends x))%Z.
Proof.
  intros Hx Hdiv H128. unfold shrink_ends. set (t := Z.shiftr x 7) in *.
  assert (Ht : (0 <= t)%Z) by (apply Z.shiftr_nonneg; auto).
  assert (E : val P x = 128 * val P t).
  { unfold val. rewrite <- Hdiv, Z.shiftl_mul_pow2, mult_IZR by lia. change (2 ^ 7)%Z with 128%Z. ring. }
  assert (T1 : val P t <= 1) by lra. pose proof (val_pos P t Ht) as T0.
  pose proof (shrinks_between (val P t) 11 (conj T0 T1)) as Sh.
  destruct (alternating_sum (val P t) 23 0) as [A1 _]. destruct (alternating_sum (val P t) 22 0) as [_ A0].
  change (S (2 * 11))%nat with 23%nat in Sh. change (2 * 11)%nat with 22%nat in Sh.
  change (fun i => power (val P t) (0 + i)) with (power (val P t)) in A1, A0.
  rewrite <- A1, <- A0, !alternating_nested in Sh. unfold power in Sh. simpl pow in Sh.
  change (INR (fact 0)) with 1 in Sh. replace (1 / 1) with 1 in Sh by field. rewrite !Rmult_1_l in Sh.
  destruct (nested_between t 1 23 ltac:(lra) Ht T1 1 ltac:(lia)) as [[B1 _] _].
  destruct (nested_between t 0 23 ltac:(lra) Ht T1 1 ltac:(lia)) as [[_ B0] _].
  change (Z.of_nat 1) with 1%Z in B1, B0.
  destruct (nested_ends t 1 23) as [low high]. simpl fst in B1. simpl snd in B0.
  assert (G : forall m, between P (Nat.iter m square_ends (Z.max 0 low, high)) (exp (- val P t) ^ (2 ^ m))
    /\ (0 <= fst (Nat.iter m square_ends (Z.max 0 low, high)))%Z).
  { induction m as [|m IH].
    - simpl. unfold between. simpl. rewrite Rmult_1_r. split; [|lia]. pose proof (exp_pos (- val P t)).
      split; [|lra]. destruct (Z.max_spec 0 low) as [[_ ->] | [_ ->]]; [lra | rewrite val_0; lra].
    - destruct IH as [IH1 IH2]. cbn [Nat.iter]. replace (2 ^ S m)%nat with (2 ^ m + 2 ^ m)%nat by (simpl; lia).
      rewrite pow_add. apply square_between; auto. apply pow_le, Rlt_le, exp_pos. }
  specialize (G 7%nat). rewrite <- Rpower_pow in G by apply exp_pos. unfold Rpower in G.
  rewrite ln_exp in G. replace (INR (2 ^ 7) * - val P t) with (- val P x) in G; [exact G|].
  rewrite E. rewrite INR_IZR_INZ. change (Z.of_nat (2 ^ 7)) with 128%Z. ring.
Qed.

End Places.
(** * Numbers with K places *)

Section Around.

Variable K : Z.
Hypothesis K_pos : 0 <= K.

(** A centre and a radius. *)
Definition around (e : Z * Z) (x : R) : Prop := (Rabs (x - val K (fst e)) <= val K (snd e))%R.

Definition low (e : Z * Z) : Z := fst e - snd e.
Definition high (e : Z * Z) : Z := fst e + snd e.
Definition size (e : Z * Z) : Z := Z.abs (fst e) + snd e.

Definition of_ends (ends : Z * Z) : Z * Z :=
  ((fst ends + snd ends) / 2, (snd ends - fst ends) / 2 + 1).

Definition plus_e (e f : Z * Z) : Z * Z := (fst e + fst f, snd e + snd f).
Definition minus_e (e f : Z * Z) : Z * Z := (fst e - fst f, snd e + snd f).

Definition times_e (e f : Z * Z) : Z * Z :=
  let '(c, r) := e in
  let '(d, s) := f in
  (Z.shiftr (c * d) K, Z.shiftr (Z.abs c * s + r * (Z.abs d + s)) K + 2).

Definition shared_e (n : Z) (e : Z * Z) : Z * Z := (fst e / n, snd e / n + 2).

Definition sum_e (es : list (Z * Z)) : Z * Z := fold_right plus_e (0, 0) es.

(** At least the product of two numbers that are not negative. *)
Definition times_up (a b : Z) : Z := Z.shiftr (a * b) K + 1.

(** 1 / root of a number above 0. *)
Definition root_ends (w : Z) : Z * Z :=
  let root := Z.sqrt (2 ^ (3 * K) / w) in (root, root + 1).

Definition root_e (e : Z * Z) : Z * Z := of_ends (fst (root_ends (high e)), snd (root_ends (low e))).

(** The root of a whole number. *)
Definition square_root_e (n : Z) : Z * Z :=
  let root := Z.sqrt (n * 2 ^ (2 * K)) in of_ends (root, root + 1).

(** At least the root of a number. *)
Definition root_up (a : Z) : Z := Z.sqrt (a * 2 ^ K) + 1.

(** e^-x for x of 0 or more. *)
Definition exp_minus_ends (x : Z) : Z * Z :=
  let y := Z.min x (128 * 2 ^ K) in
  let '(low, high) := shrink_ends (K + 16) (Z.shiftl y 16) in
  (if x =? y then Z.shiftr low 16 else 0, Z.shiftr high 16 + 1).

Definition quotient_down (a b : Z) : Z := a * 2 ^ K / b.

Definition exp_low (x : Z) : Z :=
  if x <=? 0 then fst (exp_minus_ends (- x)) else 2 ^ K.

Definition exp_high (x : Z) : option Z :=
  if x <=? 0 then Some (snd (exp_minus_ends (- x)))
  else
    let inverse := fst (exp_minus_ends x) in
    if 0 <? inverse then Some (quotient_down (2 ^ K) inverse + 1) else None.

Definition exp_e (e : Z * Z) : option (Z * Z) :=
  match exp_high (high e) with
  | Some most => Some (of_ends (exp_low (low e), most))
  | None => None
  end.

Definition logistic_ends (x : Z) : Z * Z :=
  let '(low, high) := exp_minus_ends (Z.abs x) in
  let down := quotient_down (2 ^ K) (2 ^ K + high) in
  let up := quotient_down (2 ^ K) (2 ^ K + low) + 1 in
  if x <? 0 then (2 ^ K - up, 2 ^ K - down) else (down, up).

Definition logistic_e (e : Z * Z) : Z * Z :=
  of_ends (fst (logistic_ends (low e)), snd (logistic_ends (high e))).

(** tanh x = 2 logistic (2 x) - 1 *)
Definition tanh_e (e : Z * Z) : Z * Z :=
  let '(c, r) := logistic_e (2 * fst e, 2 * snd e) in (2 * c - 2 ^ K, 2 * r).

Local Open Scope R_scope.

Lemma ends_around a b x : val K a <= x <= val K b -> around (of_ends (a, b)) x.
Proof.
  unfold around, of_ends. cbn [fst snd]. intros [A B].
  assert (a <= b)%Z.
  { apply le_IZR. apply Rmult_le_reg_r with (unit_ K); [apply unit_positive|]. unfold val in *. lra. }
  pose proof (Z.div_mod (a + b) 2 ltac:(lia)). pose proof (Z.mod_pos_bound (a + b) 2 ltac:(lia)).
  pose proof (Z.div_mod (b - a) 2 ltac:(lia)). pose proof (Z.mod_pos_bound (b - a) 2 ltac:(lia)).
  set (c := ((a + b) / 2)%Z) in *. set (r := ((b - a) / 2 + 1)%Z) in *.
  pose proof (val_mono K (c - r) a ltac:(lia)) as L. pose proof (val_mono K b (c + r) ltac:(lia)) as U.
  rewrite val_minus in L. rewrite val_plus in U. apply Rabs_le. lra.
Qed.

Lemma around_ends e x : around e x -> val K (low e) <= x <= val K (high e).
Proof.
  unfold around, low, high. rewrite val_minus, val_plus. intros H. apply Rabs_le_inv in H. lra.
Qed.

Lemma around_size e x : around e x -> Rabs x <= val K (size e).
Proof.
  unfold around, size. rewrite val_plus. intros H.
  replace x with ((x - val K (fst e)) + val K (fst e)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (Rabs (val K (fst e)) = val K (Z.abs (fst e))).
  { unfold val. rewrite Rabs_mult, abs_IZR, (Rabs_pos_eq (unit_ K)); [reflexivity|].
    apply Rlt_le, unit_positive. }
  lra.
Qed.

Lemma plus_around e f x y : around e x -> around f y -> around (plus_e e f) (x + y).
Proof.
  unfold around, plus_e. simpl. rewrite !val_plus. intros A B.
  replace (x + y - (val K (fst e) + val K (fst f))) with ((x - val K (fst e)) + (y - val K (fst f)))
    by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Lemma minus_around e f x y : around e x -> around f y -> around (minus_e e f) (x - y).
Proof.
  unfold around, minus_e. simpl. rewrite val_minus, val_plus. intros A B.
  replace (x - y - (val K (fst e) - val K (fst f))) with ((x - val K (fst e)) - (y - val K (fst f)))
    by ring.
  unfold Rminus at 1. apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp. lra.
Qed.

Lemma val_abs z : Rabs (val K z) = val K (Z.abs z).
Proof.
  unfold val. rewrite Rabs_mult, abs_IZR, (Rabs_pos_eq (unit_ K)); [reflexivity|].
  apply Rlt_le, unit_positive.
Qed.

Lemma val_cut z : val K (Z.shiftr z K) <= IZR z * unit_ K * unit_ K <= val K (Z.shiftr z K + 1)%Z.
Proof.
  pose proof (val_product K K_pos z 1) as H. unfold val in *. rewrite Z.mul_1_r in H. lra.
Qed.

Lemma times_around e f x y : around e x -> around f y -> around (times_e e f) (x * y).
Proof.
  destruct e as [c r], f as [d s]. unfold around, times_e. simpl fst. simpl snd. intros A B.
  set (p := (c * d)%Z). set (q := (Z.abs c * s + r * (Z.abs d + s))%Z).
  pose proof (val_cut p) as Hp. pose proof (val_cut q) as Hq.
  rewrite val_plus in Hp, Hq. replace (Z.shiftr q K + 2)%Z with (Z.shiftr q K + 1 + 1)%Z by ring.
  rewrite !val_plus.
  assert (Ep : IZR p * unit_ K * unit_ K = val K c * val K d)
    by (unfold p, val; rewrite mult_IZR; ring).
  assert (Eq : IZR q * unit_ K * unit_ K
    = Rabs (val K c) * val K s + val K r * (Rabs (val K d) + val K s)).
  { rewrite !val_abs. unfold q, val. rewrite plus_IZR, !mult_IZR, plus_IZR. ring. }
  assert (M : Rabs (x * y - val K c * val K d)
    <= Rabs (val K c) * val K s + val K r * (Rabs (val K d) + val K s)).
  { replace (x * y - val K c * val K d) with ((x - val K c) * y + val K c * (y - val K d)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult.
    assert (Rabs y <= Rabs (val K d) + val K s).
    { replace y with ((y - val K d) + val K d) by ring. apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    pose proof (Rabs_pos (x - val K c)). pose proof (Rabs_pos y). pose proof (Rabs_pos (val K c)).
    assert (Rabs (x - val K c) * Rabs y <= val K r * (Rabs (val K d) + val K s))
      by (apply Rmult_le_compat; lra).
    assert (Rabs (val K c) * Rabs (y - val K d) <= Rabs (val K c) * val K s)
      by (apply Rmult_le_compat_l; lra).
    lra. }
  replace (x * y - val K (Z.shiftr p K)) with
    ((x * y - val K c * val K d) + (val K c * val K d - val K (Z.shiftr p K))) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (Rabs (val K c * val K d - val K (Z.shiftr p K)) <= val K 1) by (apply Rabs_le; lra).
  lra.
Qed.

Lemma shared_around n e x : (0 < n)%Z -> around e x -> around (shared_e n e) (x / IZR n).
Proof.
  intros Hn. unfold around, shared_e. simpl. intros H.
  destruct (val_shared K (fst e) n Hn) as [C1 C2]. destruct (val_shared K (snd e) n Hn) as [_ R2].
  apply IZR_lt in Hn. assert (I : 0 < / IZR n) by now apply Rinv_0_lt_compat.
  pose proof (val_pos K 1 ltac:(lia)). unfold Rdiv in *.
  rewrite val_plus in C2, R2. rewrite !val_plus in C2, R2. rewrite Rmult_plus_distr_r in C2, R2.
  replace (snd e / n + 2)%Z with (snd e / n + 1 + 1)%Z by ring. rewrite !val_plus.
  assert (0 <= val K 1 * / IZR n) by (apply Rmult_le_pos; lra).
  replace (x * / IZR n - val K (fst e / n)%Z) with
    ((x - val K (fst e)) * / IZR n + (val K (fst e) * / IZR n - val K (fst e / n)%Z)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  rewrite Rabs_mult, (Rabs_pos_eq (/ IZR n)) by lra.
  assert (Rabs (x - val K (fst e)) * / IZR n <= val K (snd e) * / IZR n)
    by (apply Rmult_le_compat_r; lra).
  assert (Rabs (val K (fst e) * / IZR n - val K (fst e / n)%Z) <= val K 1) by (apply Rabs_le; lra).
  lra.
Qed.

Lemma sum_around es xs : Forall2 around es xs -> around (sum_e es) (fold_right Rplus 0 xs).
Proof.
  induction 1 as [|e x es xs H _ IH]; [|now apply plus_around].
  unfold around. simpl. rewrite val_0, Rminus_0_r, Rabs_R0. lra.
Qed.

Lemma times_up_spec a b x y : 0 <= x <= val K a -> 0 <= y <= val K b ->
  0 <= x * y <= val K (times_up a b).
Proof.
  intros Hx Hy. split; [apply Rmult_le_pos; lra|]. destruct (val_product K K_pos a b) as [_ H].
  apply Rle_trans with (2 := H). apply Rmult_le_compat; lra.
Qed.

(** ** Roots *)

Lemma sqrt_least a w : 0 <= a -> 0 < w -> a * a * w <= 1 -> a <= / sqrt w.
Proof.
  intros Ha Hw H. pose proof (sqrt_lt_R0 w Hw) as S. apply Rmult_le_reg_r with (sqrt w); auto.
  rewrite Rinv_l by lra. rewrite <- (sqrt_square a Ha), <- sqrt_mult_alt by nra.
  rewrite <- sqrt_1. apply sqrt_le_1_alt. lra.
Qed.

Lemma sqrt_most a w : 0 <= a -> 0 < w -> 1 <= a * a * w -> / sqrt w <= a.
Proof.
  intros Ha Hw H. pose proof (sqrt_lt_R0 w Hw) as S. apply Rmult_le_reg_r with (sqrt w); auto.
  rewrite Rinv_l by lra. rewrite <- (sqrt_square a Ha), <- sqrt_mult_alt by nra.
  rewrite <- sqrt_1. apply sqrt_le_1_alt. lra.
Qed.

Lemma val_cube a w : val K a * val K a * val K w = IZR (a * a * w) * unit_ (3 * K).
Proof.
  unfold val. rewrite !mult_IZR. unfold unit_. replace (- (3 * K))%Z with (- K + - K + - K)%Z by ring.
  rewrite !bpow_plus. ring.
Qed.

Lemma root_between w : (0 < w)%Z -> between K (root_ends w) (/ sqrt (val K w)).
Proof.
  intros Hw. unfold root_ends, between. cbv zeta. cbn [fst snd]. set (q := (2 ^ (3 * K) / w)%Z).
  assert (Hq : (0 <= q)%Z) by (apply Z.div_pos; [apply Z.pow_nonneg|]; lia).
  pose proof (Z.sqrt_spec q Hq) as [S1 S2]. pose proof (Z.sqrt_nonneg q) as S0.
  pose proof (Z.mul_div_le (2 ^ (3 * K)) w Hw) as E1. fold q in E1.
  pose proof (Z.mul_succ_div_gt (2 ^ (3 * K)) w Hw) as E2. fold q in E2. set (s := Z.sqrt q) in *.
  assert (W : 0 < val K w).
  { apply Rmult_lt_0_compat; [now apply IZR_lt | apply unit_positive]. }
  assert (U : IZR (2 ^ (3 * K)) * unit_ (3 * K) = 1).
  { rewrite IZR_pow by lia. apply unit_inverse. }
  pose proof (unit_positive (3 * K)) as H3.
  split.
  - apply sqrt_least; auto. { now apply val_pos. }
    rewrite val_cube, <- U. apply Rmult_le_compat_r; [lra|]. apply IZR_le.
    apply Z.le_trans with (w * q)%Z; [|exact E1].
    rewrite Z.mul_comm. apply Z.mul_le_mono_nonneg_l; lia.
  - apply sqrt_most; auto. { apply val_pos. lia. }
    rewrite val_cube, <- U. apply Rmult_le_compat_r; [lra|]. apply IZR_le.
    apply Z.le_trans with (w * Z.succ q)%Z; [lia|].
    rewrite (Z.mul_comm _ w). apply Z.mul_le_mono_nonneg_l; lia.
Qed.

Lemma root_around e w : (0 < low e)%Z -> around e w -> around (root_e e) (/ sqrt w).
Proof.
  intros Hl H. apply around_ends in H. destruct H as [A B].
  assert (L : 0 < val K (low e)).
  { apply Rmult_lt_0_compat; [now apply IZR_lt | apply unit_positive]. }
  assert (Hh : (0 < high e)%Z).
  { apply lt_IZR. apply Rmult_lt_reg_r with (unit_ K); [apply unit_positive|].
    rewrite Rmult_0_l. change (IZR (high e) * unit_ K) with (val K (high e)). lra. }
  apply ends_around.
  destruct (root_between (high e) Hh) as [H1 _]. destruct (root_between (low e) Hl) as [_ H2].
  assert (Inv : forall a b, 0 < a -> a <= b -> / sqrt b <= / sqrt a).
  { intros a b Ha Hab. apply Rinv_le_contravar; [now apply sqrt_lt_R0 | now apply sqrt_le_1_alt]. }
  pose proof (Inv (val K (low e)) w L A). pose proof (Inv w (val K (high e)) ltac:(lra) B).
  lra.
Qed.

Lemma square_root_around n : (0 <= n)%Z -> around (square_root_e n) (sqrt (IZR n)).
Proof.
  intros Hn. unfold square_root_e. cbv zeta. apply ends_around. set (q := (n * 2 ^ (2 * K))%Z).
  assert (Hq : (0 <= q)%Z) by (apply Z.mul_nonneg_nonneg; [|apply Z.pow_nonneg]; lia).
  pose proof (Z.sqrt_spec q Hq) as [S1 S2]. pose proof (Z.sqrt_nonneg q) as S0.
  set (s := Z.sqrt q) in *.
  assert (U : IZR n = IZR q * unit_ K * unit_ K).
  { unfold q. rewrite mult_IZR, IZR_pow by lia. replace (2 * K)%Z with (K + K)%Z by ring.
    rewrite bpow_plus. pose proof (unit_inverse K) as I.
    replace (IZR n * (bpow radix2 K * bpow radix2 K) * unit_ K * unit_ K)
      with (IZR n * (bpow radix2 K * unit_ K) * (bpow radix2 K * unit_ K)) by ring.
    rewrite I. ring. }
  pose proof (unit_positive K) as Hk. split.
  - rewrite <- (sqrt_square (val K s)) by now apply val_pos. apply sqrt_le_1_alt.
    rewrite U. unfold val. replace (IZR s * unit_ K * (IZR s * unit_ K))
      with (IZR (s * s) * unit_ K * unit_ K) by (rewrite mult_IZR; ring).
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|]. now apply IZR_le.
  - rewrite <- (sqrt_square (val K (s + 1)%Z)) by (apply val_pos; lia). apply sqrt_le_1_alt.
    rewrite U. unfold val. replace (IZR (s + 1) * unit_ K * (IZR (s + 1) * unit_ K))
      with (IZR ((s + 1) * (s + 1)) * unit_ K * unit_ K) by (rewrite mult_IZR; ring).
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|]. apply IZR_le. lia.
Qed.

Lemma val_nonneg z : 0 <= val K z -> (0 <= z)%Z.
Proof.
  intros H. apply le_IZR. apply Rmult_le_reg_r with (unit_ K); [apply unit_positive|].
  rewrite Rmult_0_l. exact H.
Qed.

Lemma root_up_spec a x : 0 <= x <= val K a -> sqrt x <= val K (root_up a).
Proof.
  intros [X0 X]. unfold root_up. set (q := (a * 2 ^ K)%Z).
  assert (Ha : (0 <= a)%Z) by (apply val_nonneg; lra).
  assert (Hq : (0 <= q)%Z) by (apply Z.mul_nonneg_nonneg; [|apply Z.pow_nonneg]; lia).
  pose proof (Z.sqrt_spec q Hq) as [_ S2]. pose proof (Z.sqrt_nonneg q) as S0.
  set (s := Z.sqrt q) in *.
  rewrite <- (sqrt_square (val K (s + 1)%Z)) by (apply val_pos; lia). apply sqrt_le_1_alt.
  apply Rle_trans with (1 := X).
  assert (E : val K a = IZR q * unit_ K * unit_ K).
  { unfold val, q. rewrite mult_IZR, IZR_pow by assumption. pose proof (unit_inverse K) as I.
    replace (IZR a * bpow radix2 K * unit_ K * unit_ K)
      with (IZR a * unit_ K * (bpow radix2 K * unit_ K)) by ring.
    rewrite I. ring. }
  rewrite E. unfold val. replace (IZR (s + 1) * unit_ K * (IZR (s + 1) * unit_ K))
    with (IZR ((s + 1) * (s + 1)) * unit_ K * unit_ K) by (rewrite mult_IZR; ring).
  pose proof (unit_positive K). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|].
  apply IZR_le. lia.
Qed.

(** ** exp, the logistic function, tanh *)

Lemma exp_minus_between x : (0 <= x)%Z ->
  between K (exp_minus_ends x) (exp (- val K x)) /\ (0 <= fst (exp_minus_ends x))%Z.
Proof.
  intros Hx. unfold exp_minus_ends. set (y := Z.min x (128 * 2 ^ K)).
  assert (Hp : (0 < 2 ^ K)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (Hy : (0 <= y)%Z) by (unfold y; lia).
  assert (V : val (K + 16) (Z.shiftl y 16) = val K y).
  { unfold val. rewrite shiftl_is by lia. unfold unit_. rewrite Rmult_assoc, <- bpow_plus.
    do 2 f_equal. ring. }
  assert (Y128 : val K y <= 128).
  { apply Rle_trans with (val K (128 * 2 ^ K)%Z); [apply val_mono; unfold y; lia|].
    unfold val. rewrite mult_IZR, IZR_pow, Rmult_assoc, unit_inverse by assumption. lra. }
  destruct (shrink_between (K + 16) ltac:(lia) (Z.shiftl y 16)) as [B Hl].
  { now apply Z.shiftl_nonneg. }
  { rewrite Z.shiftr_shiftl_l, Z.shiftl_shiftl by lia. f_equal. }
  { now rewrite V. }
  rewrite V in B. destruct (shrink_ends (K + 16) (Z.shiftl y 16)) as [a b].
  unfold between in *. simpl fst in *. simpl snd in *. destruct B as [B1 B2].
  assert (C : forall z, val K (Z.shiftr z 16) <= val (K + 16) z <= val K (Z.shiftr z 16 + 1)%Z).
  { intros z. pose proof (shiftr_bounds single z 16 ltac:(lia)) as S. pose proof (unit_positive K) as Hk.
    assert (E : unit_ (K + 16) = bpow radix2 (-16) * unit_ K).
    { unfold unit_. rewrite <- bpow_plus. f_equal. ring. }
    unfold val. rewrite plus_IZR, E. change (- (16))%Z with (-16)%Z in S. split.
    - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
    - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
  pose proof (C a) as Ca. pose proof (C b) as Cb.
  assert (Mono : exp (- val K x) <= exp (- val K y)).
  { assert (- val K x <= - val K y) by (apply Ropp_le_contravar, val_mono; unfold y; lia).
    destruct (Req_dec (val K x) (val K y)) as [-> | N]; [lra|]. left. apply exp_increasing. lra. }
  split; [split|].
  - destruct (Z.eqb_spec x y) as [Exy|]; [rewrite Exy; lra|]. rewrite val_0. apply Rlt_le, exp_pos.
  - lra.
  - destruct (x =? y)%Z; [now apply Z.shiftr_nonneg | lia].
Qed.

Lemma quotient_bounds a b x y : 0 < y -> val K a <= x -> y <= val K b -> 0 <= x ->
  val K (quotient_down a b) <= x / y.
Proof.
  intros Hy Ha Hb Hx. unfold quotient_down.
  assert (B : (0 < b)%Z).
  { apply lt_IZR. apply Rmult_lt_reg_r with (unit_ K); [apply unit_positive|]. rewrite Rmult_0_l.
    change (IZR b * unit_ K) with (val K b). lra. }
  set (q := (a * 2 ^ K / b)%Z).
  pose proof (Z.div_mod (a * 2 ^ K) b ltac:(lia)) as E. fold q in E.
  pose proof (Z.mod_pos_bound (a * 2 ^ K) b B) as M.
  destruct (Z.le_gt_cases 0 q) as [Q|Q].
  2: { apply Rle_trans with 0; [|unfold Rdiv; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]].
       rewrite <- (val_0 K). apply val_mono. lia. }
  apply Rmult_le_reg_r with y; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (2 := Ha). apply Rle_trans with (val K q * val K b).
  - apply Rmult_le_compat_l; auto. now apply val_pos.
  - unfold val. replace (IZR q * unit_ K * (IZR b * unit_ K)) with (IZR (b * q) * unit_ K * unit_ K)
      by (rewrite mult_IZR; ring).
    replace (IZR a * unit_ K) with (IZR (a * 2 ^ K) * unit_ K * unit_ K).
    + pose proof (unit_positive K). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|].
      apply IZR_le. lia.
    + rewrite mult_IZR, IZR_pow by assumption. pose proof (unit_inverse K) as I.
      replace (IZR a * bpow radix2 K * unit_ K * unit_ K)
        with (IZR a * unit_ K * (bpow radix2 K * unit_ K)) by ring.
      rewrite I. ring.
Qed.

Lemma quotient_up a b x y : 0 < val K b -> x <= val K a -> val K b <= y -> 0 <= x ->
  x / y <= val K (quotient_down a b + 1)%Z.
Proof.
  intros Hb Ha Hy Hx. unfold quotient_down.
  assert (B : (0 < b)%Z).
  { apply lt_IZR. apply Rmult_lt_reg_r with (unit_ K); [apply unit_positive|]. rewrite Rmult_0_l.
    exact Hb. }
  set (q := (a * 2 ^ K / b)%Z).
  pose proof (Z.div_mod (a * 2 ^ K) b ltac:(lia)) as E. fold q in E.
  pose proof (Z.mod_pos_bound (a * 2 ^ K) b B) as M.
  assert (Q : (0 <= q + 1)%Z).
  { assert (0 <= a)%Z; [|nia]. apply le_IZR. apply Rmult_le_reg_r with (unit_ K); [apply unit_positive|].
    rewrite Rmult_0_l. change (IZR a * unit_ K) with (val K a). lra. }
  apply Rmult_le_reg_r with y; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (1 := Ha). apply Rle_trans with (val K (q + 1)%Z * val K b).
  - unfold val. replace (IZR (q + 1) * unit_ K * (IZR b * unit_ K))
      with (IZR (b * (q + 1)) * unit_ K * unit_ K) by (rewrite mult_IZR; ring).
    replace (IZR a * unit_ K) with (IZR (a * 2 ^ K) * unit_ K * unit_ K).
    + pose proof (unit_positive K). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|].
      apply IZR_le. lia.
    + rewrite mult_IZR, IZR_pow by assumption. pose proof (unit_inverse K) as I.
      replace (IZR a * bpow radix2 K * unit_ K * unit_ K)
        with (IZR a * unit_ K * (bpow radix2 K * unit_ K)) by ring.
      rewrite I. ring.
  - apply Rmult_le_compat_l; auto. now apply val_pos.
Qed.

Lemma exp_mono a b : a <= b -> exp a <= exp b.
Proof. intros [H | ->]; [left; now apply exp_increasing | lra]. Qed.

Lemma val_opp z : val K (- z)%Z = - val K z.
Proof. unfold val. rewrite opp_IZR. ring. Qed.

Lemma val_unit : val K (2 ^ K)%Z = 1.
Proof. apply (val_one K). exact K_pos. Qed.

Lemma exp_low_spec x : val K (exp_low x) <= exp (val K x).
Proof.
  unfold exp_low. destruct (Z.leb_spec x 0) as [N|N].
  - destruct (exp_minus_between (- x) ltac:(lia)) as [[A _] _].
    now rewrite val_opp, Ropp_involutive in A.
  - rewrite val_unit, <- exp_0. apply exp_mono. apply val_pos. lia.
Qed.

Lemma exp_high_spec x most : exp_high x = Some most -> exp (val K x) <= val K most.
Proof.
  unfold exp_high. destruct (Z.leb_spec x 0) as [N|N].
  - intros E. apply (f_equal (fun o => match o with Some z => z | None => most end)) in E.
    rewrite <- E. destruct (exp_minus_between (- x) ltac:(lia)) as [[_ B] _].
    now rewrite val_opp, Ropp_involutive in B.
  - destruct (exp_minus_between x ltac:(lia)) as [[A _] _]. cbv zeta.
    set (inverse := fst (exp_minus_ends x)) in *. clearbody inverse.
    destruct (Z.ltb_spec 0 inverse) as [I|]; [|discriminate].
    intros [= <-]. rewrite <- (Ropp_involutive (val K x)), exp_Ropp.
    replace (/ exp (- val K x)) with (1 / exp (- val K x)) by (unfold Rdiv; ring).
    apply quotient_up; [ | rewrite val_unit; lra | exact A | lra].
    apply Rmult_lt_0_compat; [now apply IZR_lt | apply unit_positive].
Qed.

Lemma exp_around e x f : around e x -> exp_e e = Some f -> around f (exp x).
Proof.
  intros H. apply around_ends in H. destruct H as [L H]. unfold exp_e.
  pose proof (exp_low_spec (low e)) as A. set (least := exp_low (low e)) in *. clearbody least.
  pose proof (exp_high_spec (high e)) as B. destruct (exp_high (high e)) as [most|]; [|discriminate].
  specialize (B most eq_refl). intros [= <-]. apply ends_around.
  apply exp_mono in L, H. lra.
Qed.

Lemma logistic_opp x : / (1 + exp (- x)) = 1 - / (1 + exp x).
Proof.
  rewrite exp_Ropp. pose proof (exp_pos x). field. split; lra.
Qed.

Lemma logistic_between x : between K (logistic_ends x) (/ (1 + exp (- val K x))).
Proof.
  unfold logistic_ends. destruct (exp_minus_between (Z.abs x) ltac:(lia)) as [B Hl].
  destruct (exp_minus_ends (Z.abs x)) as [a b]. unfold between in *. simpl fst in *. simpl snd in *.
  destruct B as [B1 B2]. pose proof (val_pos K a Hl) as A0.
  set (y := exp (- val K (Z.abs x))) in *. assert (Y : 0 < y) by apply exp_pos.
  assert (D : val K (quotient_down (2 ^ K) (2 ^ K + b)) <= 1 / (1 + y)).
  { apply quotient_bounds; try lra; rewrite ?val_plus, val_unit; lra. }
  assert (U : 1 / (1 + y) <= val K (quotient_down (2 ^ K) (2 ^ K + a) + 1)%Z).
  { apply quotient_up; try lra; rewrite ?val_plus, val_unit; lra. }
  unfold Rdiv in D, U. rewrite Rmult_1_l in D, U.
  destruct (Z.ltb_spec x 0) as [N|N]; simpl.
  - rewrite logistic_opp, !val_minus, val_unit.
    assert (E : exp (val K x) = y).
    { unfold y. rewrite Z.abs_neq, val_opp, Ropp_involutive by lia. reflexivity. }
    rewrite E. lra.
  - unfold y in D, U. rewrite Z.abs_eq in D, U by assumption. lra.
Qed.

Lemma logistic_mono a b : a <= b -> / (1 + exp (- a)) <= / (1 + exp (- b)).
Proof.
  intros H. pose proof (exp_pos (- b)). apply Rinv_le_contravar; [lra|].
  pose proof (exp_mono (- b) (- a) ltac:(lra)). lra.
Qed.

Lemma logistic_around e x : around e x -> around (logistic_e e) (/ (1 + exp (- x))).
Proof.
  intros H. apply around_ends in H. destruct H as [L H]. apply ends_around.
  destruct (logistic_between (low e)) as [A _]. destruct (logistic_between (high e)) as [_ B].
  pose proof (logistic_mono _ _ L). pose proof (logistic_mono _ _ H). lra.
Qed.

Lemma tanh_logistic x : tanh x = 2 * / (1 + exp (- (2 * x))) - 1.
Proof.
  unfold tanh, sinh, cosh. replace (- (2 * x)) with (- x + - x) by ring. rewrite exp_plus, exp_Ropp.
  pose proof (exp_pos x) as P. field. repeat split; apply Rgt_not_eq; nra.
Qed.

Lemma val_twice z : val K (2 * z)%Z = 2 * val K z.
Proof. unfold val. rewrite mult_IZR. ring. Qed.

Lemma tanh_around e x : around e x -> around (tanh_e e) (tanh x).
Proof.
  intros H. unfold tanh_e.
  assert (H2 : around (2 * fst e, 2 * snd e)%Z (2 * x)).
  { unfold around in *. cbn [fst snd]. rewrite !val_twice.
    replace (2 * x - 2 * val K (fst e)) with (2 * (x - val K (fst e))) by ring.
    rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. lra. }
  apply logistic_around in H2. destruct (logistic_e (2 * fst e, 2 * snd e)%Z) as [c r].
  rewrite tanh_logistic. unfold around in *. cbn [fst snd] in *.
  rewrite val_minus, !val_twice, val_unit.
  set (l := / (1 + exp (- (2 * x)))) in *.
  replace (2 * l - 1 - (2 * val K c - 1)) with (2 * (l - val K c)) by ring.
  rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. lra.
Qed.

End Around.
