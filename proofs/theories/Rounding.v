(** How far a sum in floating point is from the exact one, for every order of additions.

    For n terms whose exact sum is s, and whose absolute values sum to S: every result of the
    relation [adds] of [Floats.v] is within

      ((1 + u)^n - 1) S + (1 + u)^n L + t

    of s, where u = 2^-precision, t is the smallest normal number, and L, the sum over terms of
    3 t, or t (4 + |x| + |y|) for a product of x and y, is what numbers below t can cost. *)

From Coq Require Import List ZArith Reals Lra Lia Psatz Bool Permutation.
From Flocq Require Import Core BinarySingleNaN Relative.
From Lengthwise Require Import Floats.
Import ListNotations.
Local Open Scope R_scope.

Section Rounding.

Variable F : format.

Let prec := precision F.
Let emax := exponent_limit F.

Definition unit_roundoff : R := bpow radix2 (- prec).
Notation u := unit_roundoff.
Notation t := (smallest_normal F).

Lemma u_pos : 0 < u.
Proof. apply bpow_gt_0. Qed.

Lemma u_at_most : u <= / 2.
Proof.
  unfold u. change (/ 2) with (bpow radix2 (-1)). apply bpow_le.
  pose proof (has_digits F) as H. unfold Prec_gt_0 in H. subst prec. lia.
Qed.

Lemma t_pos : 0 < t.
Proof. apply bpow_gt_0. Qed.

Lemma rounding_error x : Rabs (nearest F x - x) <= u * Rabs x + t.
Proof.
  pose proof (has_digits F) as Hp. unfold Prec_gt_0 in Hp.
  destruct (error_N_FLT radix2 (3 - emax - prec) prec Hp (fun n => negb (Z.even n)) x)
    as (eps & eta & Heps & Heta & _ & E).
  assert (N : nearest F x = x * (1 + eps) + eta) by exact E. rewrite N.
  replace (x * (1 + eps) + eta - x) with (eps * x + eta) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_mult. apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply Rabs_pos|]. apply Rle_trans with (1 := Heps). unfold u.
    change (/ 2) with (bpow radix2 (-1)). rewrite <- bpow_plus. apply bpow_le. lia.
  - apply Rle_trans with (1 := Heta). unfold t. change (/ 2) with (bpow radix2 (-1)).
    rewrite <- bpow_plus. apply bpow_le. subst prec emax. lia.
Qed.

(** * Terms *)

Definition exact (x : term F) : R :=
  match x with Number x => real F x | Product x y => real F x * real F y end.

(** What numbers below the smallest normal one can cost. *)
Definition cost (x : term F) : R :=
  match x with
  | Number _ => 3 * t
  | Product x y => t * (4 + Rabs (real F x) + Rabs (real F y))
  end.

Definition finite (x : term F) : Prop :=
  match x with
  | Number x => is_finite x = true
  | Product x y => is_finite x = true /\ is_finite y = true
  end.

Fixpoint total (f : term F -> R) (terms : list (term F)) : R :=
  match terms with [] => 0 | x :: terms => f x + total f terms end.

Definition value := total exact.
Definition size := total (fun x => Rabs (exact x)).
Definition costs := total cost.

Lemma total_app f xs ys : total f (xs ++ ys) = total f xs + total f ys.
Proof. induction xs; simpl; lra. Qed.

Lemma total_perm f xs ys : Permutation xs ys -> total f xs = total f ys.
Proof. induction 1; simpl; lra. Qed.

Lemma size_pos xs : 0 <= size xs.
Proof. unfold size. induction xs as [|x xs IH]; simpl; [lra|]. pose proof (Rabs_pos (exact x)). lra. Qed.

Lemma value_size xs : Rabs (value xs) <= size xs.
Proof.
  unfold value, size. induction xs as [|x xs IH]; simpl; [rewrite Rabs_R0; lra|].
  pose proof (Rabs_triang (exact x) (total exact xs)). lra.
Qed.

Lemma cost_least x : 3 * t <= cost x.
Proof.
  pose proof t_pos. destruct x; simpl; [lra|].
  pose proof (Rabs_pos (real F x)). pose proof (Rabs_pos (real F y)). nra.
Qed.

Lemma costs_pos xs : 0 <= costs xs.
Proof.
  unfold costs. induction xs as [|x xs IH]; simpl; [lra|].
  pose proof (cost_least x). pose proof t_pos. lra.
Qed.

Lemma costs_least xs : xs <> [] -> 3 * t <= costs xs.
Proof.
  destruct xs as [|x xs]; [congruence|]. intros _. unfold costs. simpl.
  pose proof (cost_least x). pose proof (costs_pos xs). unfold costs in *. lra.
Qed.

(** * The bound *)

Definition growth (n : nat) : R := (1 + u) ^ n.

Lemma growth_least n : 1 <= growth n.
Proof. apply pow_R1_Rle. pose proof u_pos. lra. Qed.

Lemma growth_mono m n : (m <= n)%nat -> growth m <= growth n.
Proof. apply Rle_pow. pose proof u_pos. lra. Qed.

Lemma growth_next m n : (S m <= n)%nat -> growth m * (1 + u) <= growth n.
Proof.
  intros H. apply Rle_trans with (growth (S m)); [|now apply growth_mono].
  unfold growth. simpl. lra.
Qed.

(** The error of a result, before it may be taken as 0. *)
Definition error (terms : list (term F)) : R :=
  (growth (length terms) - 1) * size terms + growth (length terms) * (costs terms - 3 * t).

(** All intermediate results are at most this. *)
Definition reach (terms : list (term F)) : R :=
  growth (length terms) * (size terms + costs terms).

Definition near (terms : list (term F)) (z : float F) : Prop :=
  is_finite z = true /\
  exists x, Rabs (x - value terms) <= error terms
            /\ (real F z = x \/ (Rabs x <= t /\ real F z = 0)).

Lemma near_error terms z : near terms z -> Rabs (real F z - value terms) <= error terms + t.
Proof.
  intros (_ & x & Hx & [-> | [Hs ->]]).
  - pose proof t_pos. lra.
  - replace (0 - value terms) with ((x - value terms) - x) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp. lra.
Qed.

Lemma error_pos terms : terms <> [] -> 0 <= error terms.
Proof.
  intros H. unfold error. pose proof (growth_least (length terms)). pose proof (size_pos terms).
  pose proof (costs_least terms H). nra.
Qed.

(** The result of a rounding is near if it is within the error. *)
Lemma near_rounded terms x z : terms <> [] -> rounds F x z ->
  Rabs (nearest F x - value terms) <= error terms -> reach terms < bpow radix2 emax ->
  near terms z.
Proof.
  intros Hne Hr He Hreach.
  assert (B : Rabs (nearest F x) < bpow radix2 emax).
  { apply Rle_lt_trans with (2 := Hreach).
    replace (nearest F x) with ((nearest F x - value terms) + value terms) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    pose proof (value_size terms). unfold error, reach in *.
    pose proof (growth_least (length terms)). pose proof t_pos. nra. }
  destruct (Hr B) as [Hf Hv]. split; auto. exists (nearest F x). auto.
Qed.

(** A factor that may be taken as 0. *)
Lemma flushed_finite x y : flushed F x y -> is_finite x = true -> is_finite y = true.
Proof. intros [-> | H]; tauto. Qed.

Lemma flushed_product x x' y y' : flushed F x x' -> flushed F y y' ->
  Rabs (real F x' * real F y' - real F x * real F y) <= t * (Rabs (real F x) + Rabs (real F y)).
Proof.
  pose proof t_pos as Ht.
  pose proof (Rabs_pos (real F x)) as Px. pose proof (Rabs_pos (real F y)) as Py.
  assert (Small : forall a b, Rabs a <= t -> Rabs (0 - a * b) <= t * Rabs b).
  { intros a b Ha. replace (0 - a * b) with (- (a * b)) by ring. rewrite Rabs_Ropp, Rabs_mult.
    apply Rmult_le_compat_r; [apply Rabs_pos | exact Ha]. }
  intros [-> | (_ & Hx & _ & Ex)] [-> | (_ & Hy & _ & Ey)].
  - replace (_ - _) with 0 by ring. rewrite Rabs_R0. nra.
  - rewrite Ey, Rmult_0_r. rewrite (Rmult_comm (real F x)). pose proof (Small _ (real F x) Hy). nra.
  - rewrite Ex, Rmult_0_l. pose proof (Small _ (real F y) Hx). nra.
  - rewrite Ex, Rmult_0_l. pose proof (Small _ (real F y) Hx). nra.
Qed.

Lemma app_nonempty {A} (xs ys : list A) : xs <> [] -> xs ++ ys <> [].
Proof. destruct xs; simpl; congruence. Qed.

Lemma adds_nonempty terms z : adds F terms z -> terms <> [].
Proof.
  induction 1; try congruence; [now apply app_nonempty|].
  intros ->. apply IHadds, Permutation_nil. now apply Permutation_sym.
Qed.

Lemma rounding_step x s e :
  Rabs (x - s) <= e -> Rabs (nearest F x - s) <= (1 + u) * e + u * Rabs s + t.
Proof.
  intros H. pose proof (rounding_error x) as R. pose proof u_pos.
  assert (Rabs x <= e + Rabs s).
  { replace x with ((x - s) + s) by ring. apply Rle_trans with (1 := Rabs_triang _ _). lra. }
  replace (nearest F x - s) with ((nearest F x - x) + (x - s)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). nra.
Qed.

Lemma both_bound g g1 g2 G s1 s2 c1 c2 tt :
  1 <= g -> 0 <= s1 -> 0 <= s2 -> 0 <= tt -> 3 * tt <= c1 -> 3 * tt <= c2 ->
  g1 * g <= G -> g2 * g <= G -> 1 <= g1 -> 1 <= g2 ->
  g * ((g1 - 1) * s1 + g1 * (c1 - 3 * tt) + tt + ((g2 - 1) * s2 + g2 * (c2 - 3 * tt) + tt))
    + (g - 1) * (s1 + s2) + tt
  <= (G - 1) * (s1 + s2) + G * (c1 + c2 - 3 * tt).
Proof.
  intros. assert (g <= G) by nra.
  assert (A1 : g * g1 * s1 <= G * s1) by nra.
  assert (A2 : g * g2 * s2 <= G * s2) by nra.
  assert (B1 : g * g1 * (c1 - 3 * tt) <= G * (c1 - 3 * tt)) by (apply Rmult_le_compat_r; nra).
  assert (B2 : g * g2 * (c2 - 3 * tt) <= G * (c2 - 3 * tt)) by (apply Rmult_le_compat_r; nra).
  assert (D : g * tt <= G * tt) by nra. assert (D1 : tt <= G * tt) by nra. lra.
Qed.

Lemma app_parts (xs ys : list (term F)) :
  value (xs ++ ys) = value xs + value ys /\ size (xs ++ ys) = size xs + size ys
  /\ costs (xs ++ ys) = costs xs + costs ys /\ length (xs ++ ys) = (length xs + length ys)%nat.
Proof. unfold value, size, costs. rewrite !total_app, app_length. auto. Qed.

Lemma reach_part xs ys : reach xs <= reach (xs ++ ys) /\ reach ys <= reach (xs ++ ys).
Proof.
  unfold reach. destruct (app_parts xs ys) as (_ & -> & -> & ->).
  pose proof (growth_mono (length xs) (length xs + length ys) ltac:(lia)).
  pose proof (growth_mono (length ys) (length xs + length ys) ltac:(lia)).
  pose proof (growth_least (length xs)). pose proof (growth_least (length ys)).
  pose proof (size_pos xs). pose proof (size_pos ys). pose proof (costs_pos xs).
  pose proof (costs_pos ys). split; apply Rmult_le_compat; lra.
Qed.

(** Every order of additions, fused or not, with small numbers kept or taken as 0. *)
Theorem sum_is_near terms z : adds F terms z -> Forall finite terms ->
  reach terms < bpow radix2 emax -> near terms z.
Proof.
  intros H. induction H as
    [x | x x' y y' z Hx Hy Hz | x x' y y' terms a z Ha IH Hx Hy Hz
    | terms others a b z Ha IHa Hb IHb Hz | terms a z Ha IH Hz | terms others z P Ha IH];
    intros Hfin Hreach.
  - inversion Hfin; subst. split; auto. exists (real F x). split; auto.
    replace (real F x - value [Number x]) with 0 by (unfold value; simpl; ring). rewrite Rabs_R0.
    apply error_pos. congruence.
  - inversion Hfin as [|? ? Fxy _]; subst. destruct Fxy as [Fx Fy].
    pose proof (flushed_finite _ _ Hx Fx) as Fx'. pose proof (flushed_finite _ _ Hy Fy) as Fy'.
    apply near_rounded with (real F x' * real F y'); auto; [congruence|].
    pose proof (rounding_step _ _ _ (flushed_product _ _ _ _ Hx Hy)) as E.
    apply Rle_trans with (2 := Rle_refl _). unfold value, error, size, costs, growth. simpl.
    rewrite Rplus_0_r. apply Rle_trans with (1 := E). pose proof u_pos. pose proof t_pos.
    pose proof (Rabs_pos (real F x)). pose proof (Rabs_pos (real F y)).
    rewrite Rabs_mult. nra.
  - inversion Hfin as [|? ? Fxy Fin]; subst. destruct Fxy as [Fx Fy].
    pose proof (flushed_finite _ _ Hx Fx) as Fx'. pose proof (flushed_finite _ _ Hy Fy) as Fy'.
    pose proof (adds_nonempty _ _ Ha) as Hne.
    destruct (reach_part [Product x y] terms) as [_ Hpart]. simpl app in Hpart.
    pose proof (IH Fin ltac:(lra)) as Na. pose proof (near_error _ _ Na) as Ea.
    destruct Na as [Fa _].
    apply near_rounded with (real F x' * real F y' + real F a); auto; [congruence|].
    assert (E : Rabs (real F x' * real F y' + real F a - value (Product x y :: terms))
                <= t * (Rabs (real F x) + Rabs (real F y)) + (error terms + t)).
    { unfold value. simpl. fold value.
      replace (_ - _) with ((real F x' * real F y' - real F x * real F y)
        + (real F a - value terms)) by (unfold value; ring).
      apply Rle_trans with (1 := Rabs_triang _ _). pose proof (flushed_product _ _ _ _ Hx Hy). lra. }
    apply rounding_step in E. apply Rle_trans with (1 := E).
    pose proof (value_size (Product x y :: terms)) as Vs. unfold error.
    change (size (Product x y :: terms)) with (Rabs (real F x * real F y) + size terms) in *.
    change (costs (Product x y :: terms)) with
      (t * (4 + Rabs (real F x) + Rabs (real F y)) + costs terms).
    simpl length. unfold growth. simpl pow. fold (growth (length terms)).
    pose proof (growth_least (length terms)) as G. pose proof u_pos. pose proof t_pos.
    pose proof (costs_least terms Hne). pose proof (size_pos terms).
    pose proof (Rabs_pos (real F x)). pose proof (Rabs_pos (real F y)).
    pose proof (Rabs_pos (real F x * real F y)).
    set (g := growth (length terms)) in *. set (p := Rabs (real F x * real F y)) in *.
    set (s := size terms) in *. set (c := costs terms) in *.
    set (v := Rabs (value (Product x y :: terms))) in *.
    set (m := Rabs (real F x) + Rabs (real F y)) in *.
    replace (4 + Rabs (real F x) + Rabs (real F y)) with (4 + m) by (unfold m; ring).
    assert (0 <= m) by (unfold m; lra).
    apply Rle_trans with ((1 + u) * (t * m + ((g - 1) * s + g * (c - 3 * t) + t)) + u * (p + s) + t).
    { apply Rplus_le_compat_r, Rplus_le_compat_l. nra. }
    assert (Q : 1 + u <= (1 + u) * g) by nra. assert (0 <= t * m) by nra.
    assert (E1 : (1 + u) * (t * m) <= (1 + u) * g * (t * m)) by (apply Rmult_le_compat_r; lra).
    assert (E2 : (1 + u) * (4 * t) <= (1 + u) * g * (4 * t)) by (apply Rmult_le_compat_r; lra).
    assert (E3 : (1 + u) * p <= (1 + u) * g * p) by (apply Rmult_le_compat_r; lra).
    assert (0 <= u * t) by nra. lra.
  - destruct (app_parts terms others) as (V & Sz & C & L).
    destruct (reach_part terms others) as [P1 P2].
    apply Forall_app in Hfin. destruct Hfin as [F1 F2].
    pose proof (IHa F1 ltac:(lra)) as Na. pose proof (IHb F2 ltac:(lra)) as Nb.
    pose proof (adds_nonempty _ _ Ha) as Hne1. pose proof (adds_nonempty _ _ Hb) as Hne2.
    pose proof (near_error _ _ Na) as Ea. pose proof (near_error _ _ Nb) as Eb.
    apply near_rounded with (real F a + real F b); auto;
      [now apply app_nonempty | apply Hz; [apply Na | apply Nb] |].
    assert (E : Rabs (real F a + real F b - value (terms ++ others))
                <= (error terms + t) + (error others + t)).
    { rewrite V. replace (_ - _) with ((real F a - value terms) + (real F b - value others)) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). lra. }
    apply rounding_step in E. apply Rle_trans with (1 := E).
    pose proof (value_size (terms ++ others)) as Vs. rewrite Sz in Vs. unfold error.
    rewrite Sz, C, L.
    assert (L1 : (1 <= length terms)%nat) by (destruct terms; [congruence | simpl; lia]).
    assert (L2 : (1 <= length others)%nat) by (destruct others; [congruence | simpl; lia]).
    pose proof u_pos. pose proof t_pos.
    eapply Rle_trans; [|apply (both_bound (1 + u) (growth (length terms)) (growth (length others)))];
      try apply growth_least; try apply growth_next; try apply size_pos; try apply costs_least; auto;
      try lra; try lia.
    apply Rplus_le_compat_r. replace (1 + u - 1) with u by ring.
    apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
  - pose proof (IH Hfin Hreach) as (Fa & x & Hx & Hreal). destruct Hz as [-> | (_ & Hs & Fz & Ez)].
    + split; auto. exists x. auto.
    + split; auto. exists x. split; auto. right. split; auto.
      destruct Hreal as [<- | [H _]]; auto.
  - assert (Same : value terms = value others /\ size terms = size others
      /\ costs terms = costs others /\ length terms = length others).
    { unfold value, size, costs. repeat split; try (apply total_perm; assumption).
      now apply Permutation_length. }
    destruct Same as (V & Sz & C & L). unfold near, error, reach in *. rewrite <- V, <- Sz, <- C, <- L in *.
    apply IH; auto. rewrite Forall_forall in *. intros x Hx. apply Hfin.
    now apply Permutation_in with terms.
Qed.

Corollary sum_error terms z : adds F terms z -> Forall finite terms ->
  reach terms < bpow radix2 emax ->
  is_finite z = true /\ Rabs (real F z - value terms) <= error terms + t.
Proof.
  intros H Hf Hr. pose proof (sum_is_near _ _ H Hf Hr) as N. split; [apply N | now apply near_error].
Qed.

(** ** Flocq's operations are among what a machine may compute *)

Lemma plus_rounds x y : is_finite x = true -> is_finite y = true ->
  rounds F (real F x + real F y) (@Bplus _ _ (has_digits F) (has_range F) mode_NE x y).
Proof.
  intros Fx Fy H. pose proof (Bplus_correct _ _ (has_digits F) (has_range F) mode_NE x y Fx Fy) as C.
  rewrite Rlt_bool_true in C by exact H. tauto.
Qed.

Lemma times_rounds x y : is_finite x = true -> is_finite y = true ->
  rounds F (real F x * real F y) (@Bmult _ _ (has_digits F) (has_range F) mode_NE x y).
Proof.
  intros Fx Fy H. pose proof (Bmult_correct _ _ (has_digits F) (has_range F) mode_NE x y) as C.
  rewrite Rlt_bool_true in C by exact H. rewrite Fx, Fy in C. tauto.
Qed.

Lemma fused_rounds x y a : is_finite x = true -> is_finite y = true -> is_finite a = true ->
  rounds F (real F x * real F y + real F a)
    (@Bfma _ _ (has_digits F) (has_range F) mode_NE x y a).
Proof.
  intros Fx Fy Fa H.
  pose proof (Bfma_correct _ _ (has_digits F) (has_range F) mode_NE x y a Fx Fy Fa) as C.
  cbv zeta in C. rewrite Rlt_bool_true in C by exact H. tauto.
Qed.

(** Products and sums that are formed from left to right: [adds] is never empty. *)
Fixpoint left_to_right (terms : list (term F)) : float F :=
  let formed x :=
    match x with
    | Number x => x
    | Product x y => @Bmult _ _ (has_digits F) (has_range F) mode_NE x y
    end in
  match terms with
  | [] => zero F
  | [x] => formed x
  | x :: terms =>
      @Bplus _ _ (has_digits F) (has_range F) mode_NE (formed x) (left_to_right terms)
  end.

Lemma left_to_right_adds (terms : list (term F)) : sums F terms (left_to_right terms).
Proof.
  assert (One : forall x : term F, adds F [x]
    (match x with
     | Number x => x
     | Product x y => @Bmult _ _ (has_digits F) (has_range F) mode_NE x y
     end)).
  { intros [x | x y]; [constructor|]. apply adds_product with x y; [left; auto | left; auto |].
    apply times_rounds. }
  induction terms as [|x terms IH]; [reflexivity|]. simpl. destruct terms as [|y terms]; [apply One|].
  change (x :: y :: terms) with ([x] ++ y :: terms). eapply adds_both; [apply One | exact IH |].
  apply plus_rounds.
Qed.

End Rounding.

(** * In IEEE's formats *)

Corollary single_sum_error terms z : adds single terms z -> Forall (finite single) terms ->
  reach single terms < bpow radix2 128 ->
  is_finite z = true
  /\ Rabs (real single z - value single terms)
     <= ((1 + bpow radix2 (-24)) ^ length terms - 1) * size single terms
        + (1 + bpow radix2 (-24)) ^ length terms * (costs single terms - 3 * bpow radix2 (-126))
        + bpow radix2 (-126).
Proof. exact (sum_error single terms z). Qed.

Corollary double_sum_error terms z : adds double terms z -> Forall (finite double) terms ->
  reach double terms < bpow radix2 1024 ->
  is_finite z = true
  /\ Rabs (real double z - value double terms)
     <= ((1 + bpow radix2 (-53)) ^ length terms - 1) * size double terms
        + (1 + bpow radix2 (-53)) ^ length terms * (costs double terms - 3 * bpow radix2 (-1022))
        + bpow radix2 (-1022).
Proof. exact (sum_error double terms z). Qed.

Print Assumptions sum_error.
