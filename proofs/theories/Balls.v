(** Intervals around the numbers of a network in floating point, for every order of additions.

    A ball is a centre and a radius, in units of 2^-places: whatever a machine may compute
    ([row_gives]) lies in the ball that [row_ball] computes. Nothing is known of a number that could
    be too large, or of a weight that is not a float: its ball is [None]. Numbers of the network have
    K places, and weights, which are exact, as few as they need: that is what makes it fast. *)

From Coq Require Import List NArith ZArith QArith Reals Lra Lia Psatz Bool Permutation.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Floats Rounding.
Import ListNotations.
Local Open Scope Z_scope.

Definition ball := option (Z * Z).

Section Balls.

Variables (F : format) (K : Z).

Let prec := precision F.

(** Centre and radius add to less than 2^30. *)
Definition kept (places c r : Z) : ball :=
  if Z.log2 (Z.abs c + r) <? places + 30 then Some (c, r) else None.

(** Sums have fewer terms than 2^20, and fewer than 2^precision. *)
Definition few_terms (n : Z) : bool := Z.log2 n <? Z.min 20 prec.

(** Whether a number of units is a float: it has no more digits than the precision. *)
Definition is_float (c : Z) : bool :=
  let spare := Z.max 0 (Z.log2 (Z.abs c) + 1 - prec) in
  Z.shiftl (Z.shiftr c spare) spare =? c.

(** The ball of a weight. *)
Definition weight_ball (places : Z) (q : Q) : ball :=
  let own := Z.log2 (Zpos (Qden q)) in
  let c := Z.shiftl (Qnum q) (places - own) in
  if (Zpos (Qden q) =? 2 ^ own) && (own <=? places) && is_float c then kept places c 0 else None.

(** The same number with K places. *)
Definition raised (places : Z) (b : ball) : ball :=
  match b with
  | Some (c, r) => Some (Z.shiftl c (K - places), Z.shiftl r (K - places))
  | None => None
  end.

(** At least n u + (n u)^2 times a number. *)
Definition lost (n x : Z) : Z :=
  let once := Z.shiftr (n * x) prec + 1 in once + Z.shiftr (n * once) prec + 1.

(** A ball whose radius covers the roundings in a sum of [n] terms. *)
Definition enlarge (n : Z) (b : ball) : ball :=
  match b with Some (c, r) => Some (c, r + lost n (Z.abs c + r)) | None => None end.

(** The radius of a product; that of a weight is 0. *)
Definition product_radius (c r d s : Z) : Z :=
  match r with Z0 => s * Z.abs c | _ => s * Z.abs c + r * (Z.abs d + s) end.

(** The sum of products, with as many places as the two together. *)
Fixpoint dot_balls (xs ys : list ball) : option (Z * Z) :=
  match xs, ys with
  | x :: xs, y :: ys =>
      match x, y, dot_balls xs ys with
      | Some (c, r), Some (d, s), Some (centre, radius) =>
          Some (centre + c * d, radius + product_radius c r d s)
      | _, _, _ => None
      end
  | _, _ => Some (0, 0)
  end.

Fixpoint more_balls (places : Z) (more : list ball) (sum : option (Z * Z)) : option (Z * Z) :=
  match more with
  | [] => sum
  | b :: more =>
      match b, more_balls places more sum with
      | Some (c, r), Some (centre, radius) =>
          Some (centre + Z.shiftl c places, radius + Z.shiftl r places)
      | _, _ => None
      end
  end.

(** One unit for each of: the centre that is cut, the radius that is cut, and small numbers that
    are taken as 0. *)
Definition cut (places : Z) (sum : option (Z * Z)) : ball :=
  match sum with
  | Some (centre, radius) => kept K (Z.shiftr centre places) (Z.shiftr radius places + 3)
  | None => None
  end.

(** The ball of a sum of at most [n] terms, by which [xs] and [more] are enlarged; the row has that
    many places. *)
Definition row_ball (places n : Z) (row xs more : list ball) : ball :=
  if few_terms n then cut places (more_balls places more (dot_balls row xs)) else None.

(** The ball of one addition. *)
Definition plus_ball (x y : ball) : ball :=
  match x, y with
  | Some (c, r), Some (d, s) =>
      let size := Z.abs (c + d) + r + s in kept K (c + d) (r + s + Z.shiftr size prec + 2)
  | _, _ => None
  end.

(** max(x, 0) brings no two numbers further apart. *)
Definition rectified_ball (b : ball) : ball :=
  match b with Some (c, r) => Some (Z.max c 0, r) | None => None end.

(** The sign of a number, if it is certain. *)
Definition sign_of (b : ball) : option bool :=
  match b with
  | Some (c, r) => if r <? c then Some true else if c + r <? 0 then Some false else None
  | None => None
  end.

(** Whether a number is certainly smaller than another. *)
Definition below (x y : ball) : bool :=
  match x, y with Some (c, r), Some (d, s) => c + r <? d - s | _, _ => false end.

(** * They are right *)

Local Open Scope R_scope.

(** The places that are kept are many, and far from those of the smallest normal number. *)
Definition has_room : bool :=
  ((0 <=? K) && (K + 57 <=? exponent_limit F) && (84 <=? exponent_limit F))%Z.

Hypothesis room : has_room = true.

Lemma wide : (0 <= K)%Z /\ (K + 57 <= exponent_limit F)%Z /\ (84 <= exponent_limit F)%Z.
Proof. unfold has_room in room. rewrite !andb_true_iff, !Z.leb_le in room. tauto. Qed.

Let digits : (0 < precision F)%Z.
Proof. exact (has_digits F). Qed.

Definition unit_ (places : Z) : R := bpow radix2 (- places).
Notation k := (unit_ K).

Lemma unit_pos places : 0 < unit_ places.
Proof. apply bpow_gt_0. Qed.

Lemma IZR_pow n : (0 <= n)%Z -> IZR (2 ^ n) = bpow radix2 n.
Proof. intros H. rewrite <- IZR_Zpower by assumption. reflexivity. Qed.

Lemma unit_inverse places : bpow radix2 places * unit_ places = 1.
Proof. unfold unit_. rewrite <- bpow_plus. now rewrite Z.add_opp_diag_r. Qed.

Definition limit (places : Z) : Z := (2 ^ (places + 30))%Z.

Lemma limit_is places : (0 <= places)%Z -> IZR (limit places) * unit_ places = bpow radix2 30.
Proof.
  intros H. unfold limit. rewrite IZR_pow by lia. unfold unit_. rewrite <- bpow_plus.
  f_equal. ring.
Qed.

Definition contains (places : Z) (b : ball) (x : float F) : Prop :=
  match b with
  | Some (c, r) =>
      (0 <= r)%Z /\ (Z.abs c + r <= limit places)%Z /\ is_finite x = true
      /\ Rabs (real F x - IZR c * unit_ places) <= IZR r * unit_ places
  | None => True
  end.

Lemma contained_size places c r x : (0 <= places)%Z -> contains places (Some (c, r)) x ->
  Rabs (real F x) <= IZR (Z.abs c + r) * unit_ places /\ Rabs (real F x) <= bpow radix2 30.
Proof.
  intros Hp (Hr & Hl & _ & H). pose proof (unit_pos places) as Hw.
  assert (A : Rabs (real F x) <= IZR (Z.abs c + r) * unit_ places).
  { rewrite plus_IZR, abs_IZR, Rmult_plus_distr_r.
    replace (real F x) with ((real F x - IZR c * unit_ places) + IZR c * unit_ places) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    rewrite (Rabs_mult (IZR c)), (Rabs_pos_eq (unit_ places)); lra. }
  split; auto. rewrite <- (limit_is places Hp). apply Rle_trans with (1 := A).
  apply Rmult_le_compat_r; [lra|]. now apply IZR_le.
Qed.

Lemma shiftr_bounds z n : (0 <= n)%Z ->
  IZR z * bpow radix2 (- n) - 1 < IZR (Z.shiftr z n) <= IZR z * bpow radix2 (- n).
Proof.
  intros Hn. rewrite Z.shiftr_div_pow2 by assumption.
  pose proof (Z.pow_pos_nonneg 2 n ltac:(lia) Hn) as Hp.
  pose proof (Z.div_mod z (2 ^ n) ltac:(lia)) as E. pose proof (Z.mod_pos_bound z (2 ^ n) Hp) as M.
  set (d := (z / 2 ^ n)%Z) in *. set (m := (z mod 2 ^ n)%Z) in *. rewrite E.
  rewrite plus_IZR, mult_IZR, (IZR_pow n Hn), Rmult_plus_distr_r.
  assert (B : bpow radix2 n * bpow radix2 (- n) = 1).
  { rewrite <- bpow_plus. replace (n + - n)%Z with 0%Z by ring. reflexivity. }
  replace (bpow radix2 n * IZR d * bpow radix2 (- n)) with (IZR d) by
    (replace (bpow radix2 n * IZR d * bpow radix2 (- n)) with
       (IZR d * (bpow radix2 n * bpow radix2 (- n))) by ring; rewrite B; ring).
  pose proof (bpow_gt_0 radix2 (- n)). destruct M as [M1 M2]. apply IZR_le in M1.
  apply IZR_lt in M2. rewrite (IZR_pow n Hn) in M2.
  assert (IZR m * bpow radix2 (- n) < 1) by (rewrite <- B; apply Rmult_lt_compat_r; auto).
  assert (0 <= IZR m * bpow radix2 (- n)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma shiftl_is z n : (0 <= n)%Z -> IZR (Z.shiftl z n) = IZR z * bpow radix2 n.
Proof. intros H. rewrite Z.shiftl_mul_pow2, mult_IZR, IZR_pow by assumption. reflexivity. Qed.

(** ** Weights are exact *)

Lemma within_limit places x : (0 <= x)%Z -> (Z.log2 x < places + 30)%Z -> (x <= limit places)%Z.
Proof.
  intros Hx L. unfold limit. destruct (Z.eq_dec x 0) as [->|Hne]; [apply Z.pow_nonneg; lia|].
  apply Z.lt_le_incl, Z.log2_lt_pow2; lia.
Qed.

Lemma kept_spec places c r x : (0 <= r)%Z -> is_finite x = true ->
  Rabs (real F x - IZR c * unit_ places) <= IZR r * unit_ places ->
  contains places (kept places c r) x.
Proof.
  intros Hr Hx H. unfold kept. destruct (Z.ltb_spec (Z.log2 (Z.abs c + r)) (places + 30)) as [L|];
    simpl; auto. apply within_limit in L; auto; lia.
Qed.

Lemma is_float_spec places c : (places <= K)%Z -> is_float c = true ->
  generic_format radix2 (SpecFloat.fexp (precision F) (exponent_limit F)) (IZR c * unit_ places).
Proof.
  intros Hplaces. unfold is_float. rewrite Z.eqb_eq. set (e := Z.max 0 (Z.log2 (Z.abs c) + 1 - prec)).
  set (m := Z.shiftr c e). intros E. assert (He : (0 <= e)%Z) by (unfold e; lia).
  apply generic_format_FLT with (emin := (3 - exponent_limit F - precision F)%Z).
  exists (Float radix2 m (e - places)).
  - unfold F2R. simpl. rewrite <- E, shiftl_is by assumption. unfold unit_.
    rewrite Rmult_assoc, <- bpow_plus. reflexivity.
  - change (Z.abs m < 2 ^ prec)%Z. destruct (Z.eq_dec c 0) as [->|Hc].
    { unfold m. rewrite Z.shiftr_0_l. apply Z.pow_pos_nonneg; unfold prec; lia. }
    assert (L : (Z.abs c < 2 ^ (Z.log2 (Z.abs c) + 1))%Z)
      by (pose proof (Z.log2_spec (Z.abs c) ltac:(lia)); rewrite Z.add_1_r; tauto).
    assert (A : (Z.abs m * 2 ^ e = Z.abs c)%Z).
    { rewrite <- E, Z.shiftl_mul_pow2, Z.abs_mul by assumption. f_equal.
      symmetry. apply Z.abs_eq. apply Z.pow_nonneg. lia. }
    assert (P : (2 ^ (Z.log2 (Z.abs c) + 1) <= 2 ^ prec * 2 ^ e)%Z).
    { rewrite <- Z.pow_add_r by (unfold prec; lia). apply Z.pow_le_mono_r; unfold e; lia. }
    apply Z.mul_lt_mono_pos_r with (2 ^ e)%Z; [apply Z.pow_pos_nonneg; lia|]. lia.
  - change (3 - exponent_limit F - precision F <= e - places)%Z. pose proof wide. lia.
Qed.

Lemma nearest_same x :
  generic_format radix2 (SpecFloat.fexp (precision F) (exponent_limit F)) x -> nearest F x = x.
Proof. intros H. unfold nearest. apply round_generic; [apply valid_rnd_round_mode | exact H]. Qed.

Lemma weight_contains places q : (0 <= places <= K)%Z ->
  contains places (weight_ball places q) (number F q).
Proof.
  intros Hplaces. unfold weight_ball. set (p := Z.log2 (Zpos (Qden q))).
  set (c := Z.shiftl (Qnum q) (places - p)).
  destruct (_ && _ && _)%bool eqn:H; [|exact I]. rewrite !andb_true_iff, Z.eqb_eq, Z.leb_le in H.
  destruct H as [[Hd Hp] Hf]. apply (is_float_spec places) in Hf; [|lia]. pose proof wide.
  pose proof (unit_pos places) as Hk.
  assert (E : IZR c * unit_ places = F2R (Float radix2 (Qnum q) (- p))).
  { unfold c, F2R. simpl. rewrite shiftl_is by lia. unfold unit_. rewrite Rmult_assoc, <- bpow_plus.
    f_equal. f_equal. ring. }
  pose proof (binary_normalize_correct _ _ (has_digits F) (has_range F) mode_NE (Qnum q) (- p) false)
    as C. cbv zeta in C. fold (nearest F (F2R (Float radix2 (Qnum q) (- p)))) in C.
  rewrite <- E, nearest_same in C by exact Hf. unfold kept.
  destruct (Z.ltb_spec (Z.log2 (Z.abs c + 0)) (places + 30)) as [L|]; [|exact I].
  apply within_limit in L; [|lia].
  assert (B : Rabs (IZR c * unit_ places) < bpow radix2 (exponent_limit F)).
  { rewrite Rabs_mult, (Rabs_pos_eq (unit_ places)) by lra. rewrite <- abs_IZR.
    apply Rle_lt_trans with (bpow radix2 30).
    - rewrite <- (limit_is places) by lia. apply Rmult_le_compat_r; [lra|]. apply IZR_le. lia.
    - apply bpow_lt. lia. }
  rewrite Rlt_bool_true in C by exact B. destruct C as (Cv & Cf & _).
  repeat split; auto; [lia|]. change (real F (number F q)) with (B2R (number F q)).
  unfold number. fold p. rewrite Cv, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Lemma raised_contains places b x : (0 <= places <= K)%Z -> contains places b x ->
  contains K (raised places b) x.
Proof.
  intros Hp. destruct b as [[c r]|]; simpl; auto. intros (Hr & Hl & Fx & H).
  assert (E : forall z, IZR (Z.shiftl z (K - places)) * k = IZR z * unit_ places).
  { intros z. rewrite shiftl_is by lia. unfold unit_. rewrite Rmult_assoc, <- bpow_plus.
    f_equal. f_equal. ring. }
  repeat split; auto; [now apply Z.shiftl_nonneg | | now rewrite !E].
  rewrite !Z.shiftl_mul_pow2, Z.abs_mul, (Z.abs_eq (2 ^ _)), <- Z.mul_add_distr_r by
    (try apply Z.pow_nonneg; lia).
  unfold limit. replace (K + 30)%Z with (places + 30 + (K - places))%Z by ring.
  rewrite Z.pow_add_r by lia. apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia | exact Hl].
Qed.

(** ** Sums *)

Notation u := (unit_roundoff F).

(** What a sum of n terms loses, relative to the sum of absolute values. *)
Definition share_lost (n : Z) : R := IZR n * u + (IZR n * u) * (IZR n * u).

Lemma lost_spec n x : (0 <= n)%Z -> (0 <= x)%Z -> share_lost n * IZR x <= IZR (lost n x).
Proof.
  intros Hn Hx. unfold lost. set (once := (Z.shiftr (n * x) prec + 1)%Z).
  assert (Hp : (0 <= prec)%Z) by (unfold prec; lia).
  pose proof (shiftr_bounds (n * x) prec Hp) as A.
  pose proof (shiftr_bounds (n * once) prec Hp) as B.
  rewrite !plus_IZR. assert (O : IZR (n * x) * u <= IZR once).
  { unfold once. rewrite plus_IZR. unfold u. fold prec. lra. }
  assert (Hn' : 0 <= IZR n) by (apply IZR_le; lia). assert (0 < u) by apply bpow_gt_0.
  assert (O2 : IZR (n * once) * u <= IZR (Z.shiftr (n * once) prec) + 1).
  { unfold u. fold prec. lra. }
  rewrite mult_IZR in O, O2. unfold share_lost.
  assert (IZR n * u * (IZR n * IZR x * u) <= IZR n * u * IZR once).
  { apply Rmult_le_compat_l; auto. nra. }
  nra.
Qed.

Lemma lost_pos n x : (0 <= n)%Z -> (0 <= x)%Z -> (0 <= lost n x)%Z.
Proof.
  intros Hn Hx. apply le_IZR. apply Rle_trans with (2 := lost_spec n x Hn Hx).
  assert (0 < u) by apply bpow_gt_0. apply IZR_le in Hn, Hx. unfold share_lost.
  apply Rmult_le_pos; auto. assert (0 <= IZR n * u) by nra. nra.
Qed.

Notation sum_of := (Rounding.value F).
Notation size_of := (Rounding.size F).
Notation costs_of := (Rounding.costs F).

(** What is true of terms whose balls sum to this. *)
Definition summed (places n : Z) (terms : list (term F)) (sum : option (Z * Z)) : Prop :=
  match sum with
  | Some (c, r) =>
      (0 <= r)%Z /\ Forall (finite F) terms
      /\ Rabs (sum_of terms - IZR c * (unit_ places * k))
         + share_lost n * size_of terms <= IZR r * (unit_ places * k)
      /\ size_of terms <= INR (length terms) * bpow radix2 60
      /\ costs_of terms <= INR (length terms) * (bpow radix2 32 * smallest_normal F)
  | None => True
  end.

Lemma product_of_balls c r d s x y e m :
  Rabs (x - c) <= r -> Rabs (y - d) <= s -> 0 <= e -> Rabs y <= m -> m <= Rabs d + s ->
  Rabs (x * y - c * d) + e * (Rabs x * Rabs y)
    <= Rabs c * (s + e * m) + r * (Rabs d + (s + e * m)).
Proof.
  intros Hx Hy He Hm Hs.
  assert (X : Rabs x <= Rabs c + r).
  { replace x with ((x - c) + c) by ring. apply Rle_trans with (1 := Rabs_triang _ _). lra. }
  replace (x * y - c * d) with ((x - c) * y + c * (y - d)) by ring.
  pose proof (Rabs_triang ((x - c) * y) (c * (y - d))) as T. rewrite !Rabs_mult in T.
  pose proof (Rabs_pos (x - c)). pose proof (Rabs_pos y). pose proof (Rabs_pos c).
  pose proof (Rabs_pos (y - d)). pose proof (Rabs_pos x).
  assert (A1 : Rabs (x - c) * Rabs y <= r * m) by (apply Rmult_le_compat; lra).
  assert (A2 : Rabs c * Rabs (y - d) <= Rabs c * s) by (apply Rmult_le_compat_l; lra).
  assert (A3 : Rabs x * Rabs y <= (Rabs c + r) * m) by (apply Rmult_le_compat; lra).
  assert (A4 : e * (Rabs x * Rabs y) <= e * ((Rabs c + r) * m)) by (apply Rmult_le_compat_l; lra).
  assert (A5 : r * m <= r * (Rabs d + s)) by (apply Rmult_le_compat_l; lra).
  nra.
Qed.

Lemma share_lost_pos n : (0 <= n)%Z -> 0 <= share_lost n.
Proof.
  intros H. apply IZR_le in H. assert (0 < u) by apply bpow_gt_0. unfold share_lost.
  assert (0 <= IZR n * u) by nra. nra.
Qed.

Lemma t_small : 0 < smallest_normal F.
Proof. apply bpow_gt_0. Qed.

Lemma summed_nil places n : summed places n [] (Some (0, 0)%Z).
Proof.
  unfold summed, Rounding.value, size, costs. simpl.
  replace (0 - 0 * (unit_ places * k)) with 0 by ring. rewrite Rabs_R0.
  repeat split; [lia | constructor | lra | lra | lra].
Qed.

Lemma dot_summed places n : (0 <= places)%Z -> (0 <= n)%Z ->
  forall row fs, Forall2 (contains places) row fs ->
  forall xs gs, Forall2 (contains K) xs gs ->
  summed places n (products F fs gs) (dot_balls row (map (enlarge n) xs)).
Proof.
  intros Hp Hn. pose proof (share_lost_pos n Hn) as He. pose proof (unit_pos K) as Hk.
  pose proof (unit_pos places) as Hw. destruct wide as [HK _].
  induction 1 as [|b f row fs Hb _ IH].
  - intros xs gs _. apply summed_nil.
  - intros xs gs H. destruct H as [|y g xs gs Hy H].
    + apply summed_nil.
    + specialize (IH _ _ H). simpl. destruct b as [[c r]|]; [|exact I].
      destruct y as [[d s]|]; [|exact I]. cbn [enlarge].
      destruct (dot_balls row (map (enlarge n) xs)) as [[centre radius]|]; [|exact I].
      destruct IH as (P & Fin & E & S & C).
      pose proof (contained_size _ _ _ _ Hp Hb) as [Zb Lb]. pose proof (contained_size _ _ _ _ HK Hy) as [Zy Ly].
      destruct Hb as (Hr & _ & Ff & Hb). destruct Hy as (Hs & _ & Fg & Hy).
      pose proof (lost_pos n (Z.abs d + s) Hn ltac:(lia)) as Lp.
      pose proof (lost_spec n (Z.abs d + s) Hn ltac:(lia)) as Ls.
      unfold summed. fold (products F fs gs).
      change (products F (f :: fs) (g :: gs)) with (Product f g :: products F fs gs).
      set (terms := products F fs gs) in *. cbn [length]. rewrite S_INR.
      unfold Rounding.value, size, costs in *. cbn [total exact cost].
      assert (Radius : product_radius c r d (s + lost n (Z.abs d + s))
        = (Z.abs c * (s + lost n (Z.abs d + s)) + r * (Z.abs d + (s + lost n (Z.abs d + s))))%Z)
        by (unfold product_radius; destruct r; ring).
      rewrite Radius. split; [nia|]. split; [constructor; simpl; auto|].
      pose proof (Rabs_pos (real F f)) as Pf. pose proof (Rabs_pos (real F g)) as Pg.
      split; [|split].
      * assert (A : Rabs (real F f * real F g - IZR (c * d) * (unit_ places * k))
            + share_lost n * (Rabs (real F f) * Rabs (real F g))
          <= IZR (Z.abs c * (s + lost n (Z.abs d + s)) + r * (Z.abs d + (s + lost n (Z.abs d + s))))
             * (unit_ places * k)).
        { rewrite !plus_IZR, !mult_IZR, !plus_IZR, !abs_IZR.
          pose proof (product_of_balls (IZR c * unit_ places) (IZR r * unit_ places) (IZR d * k) (IZR s * k)
            (real F f) (real F g) (share_lost n) (IZR (Z.abs d + s) * k) Hb Hy He Zy) as A.
          assert (Hm : IZR (Z.abs d + s) * k <= Rabs (IZR d * k) + IZR s * k).
          { rewrite Rabs_mult, (Rabs_pos_eq k) by lra. rewrite plus_IZR, abs_IZR. lra. }
          specialize (A Hm). rewrite !Rabs_mult, !(Rabs_pos_eq k), !(Rabs_pos_eq (unit_ places)) in A by lra.
          replace (IZR c * IZR d * (unit_ places * k)) with (IZR c * unit_ places * (IZR d * k)) by ring.
          apply Rle_trans with (1 := A).
          assert (L : share_lost n * (IZR (Z.abs d + s) * k) <= IZR (lost n (Z.abs d + s)) * k).
          { rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
          set (l := IZR (lost n (Z.abs d + s))) in *.
          set (e := share_lost n * (IZR (Z.abs d + s) * k)) in *.
          assert (Pc : 0 <= Rabs (IZR c) * unit_ places) by (apply Rmult_le_pos; [apply Rabs_pos | lra]).
          assert (Pr : 0 <= IZR r * unit_ places) by (apply Rmult_le_pos; [now apply IZR_le | lra]).
          apply Rle_trans with (Rabs (IZR c) * unit_ places * (IZR s * k + l * k)
            + IZR r * unit_ places * (Rabs (IZR d) * k + (IZR s * k + l * k))).
          - apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
          - right. ring. }
        rewrite (plus_IZR centre).
        rewrite (plus_IZR radius), !Rmult_plus_distr_r, Rmult_plus_distr_l.
        set (big := (Z.abs c * (s + lost n (Z.abs d + s)) + r * (Z.abs d + (s + lost n (Z.abs d + s))))%Z)
          in *.
        rewrite Rabs_mult.
        replace (real F f * real F g + total F (exact F) terms - (IZR centre * (unit_ places * k) + IZR (c * d) * (unit_ places * k)))
          with ((total F (exact F) terms - IZR centre * (unit_ places * k))
                + (real F f * real F g - IZR (c * d) * (unit_ places * k))) by ring.
        pose proof (Rabs_triang (total F (exact F) terms - IZR centre * (unit_ places * k))
          (real F f * real F g - IZR (c * d) * (unit_ places * k))).
        lra.
      * rewrite Rabs_mult.
        assert (Rabs (real F f) * Rabs (real F g) <= bpow radix2 60).
        { change 60%Z with (30 + 30)%Z. rewrite bpow_plus. apply Rmult_le_compat; auto. }
        rewrite Rmult_plus_distr_r, Rmult_1_l. lra.
      * pose proof t_small as Ht.
        assert (4 + Rabs (real F f) + Rabs (real F g) <= bpow radix2 32).
        { change (bpow radix2 32) with (IZR (2 ^ 32)).
          change (bpow radix2 30) with (IZR (2 ^ 30)) in Lb, Ly.
          replace (IZR (2 ^ 32)) with (4 * IZR (2 ^ 30)) by (rewrite <- mult_IZR; reflexivity).
          assert (2 <= IZR (2 ^ 30)) by (apply IZR_le; reflexivity || lia). lra. }
        assert (smallest_normal F * (4 + Rabs (real F f) + Rabs (real F g))
                <= bpow radix2 32 * smallest_normal F).
        { rewrite Rmult_comm. apply Rmult_le_compat_r; lra. }
        rewrite Rmult_plus_distr_r, Rmult_1_l. lra.
Qed.

Lemma more_summed places n : (0 <= places)%Z -> (0 <= n)%Z ->
  forall more fs, Forall2 (contains K) more fs ->
  forall terms sum, summed places n terms sum ->
  summed places n (map Number fs ++ terms) (more_balls places (map (enlarge n) more) sum).
Proof.
  intros Hp Hn. pose proof (share_lost_pos n Hn) as He. pose proof (unit_pos K) as Hk.
  pose proof (unit_pos places) as Hw. destruct wide as [HK _].
  induction 1 as [|b f more fs Hb _ IH]; intros terms sum H; [exact H|].
  specialize (IH _ _ H). simpl. destruct b as [[c r]|]; [|exact I]. cbn [enlarge].
  destruct (more_balls places (map (enlarge n) more) sum) as [[centre radius]|]; [|exact I].
  destruct IH as (P & Fin & E & S & C). pose proof (contained_size _ _ _ _ HK Hb) as [Zb Lb].
  destruct Hb as (Hr & _ & Ff & Hb).
  pose proof (lost_pos n (Z.abs c + r) Hn ltac:(lia)) as Lp.
  pose proof (lost_spec n (Z.abs c + r) Hn ltac:(lia)) as Ls.
  set (others := map Number fs ++ terms) in *. unfold summed. cbn [length]. rewrite S_INR.
  unfold Rounding.value, size, costs in *. cbn [total exact cost].
  pose proof (unit_inverse places) as Kk.
  split. { apply Z.add_nonneg_nonneg; auto. apply Z.shiftl_nonneg. lia. }
  split; [constructor; simpl; auto|]. split; [|split].
  - rewrite !plus_IZR, !shiftl_is by lia. rewrite (plus_IZR r).
    rewrite plus_IZR, abs_IZR in Zb.
    set (l := IZR (lost n (Z.abs c + r))) in *. set (e := share_lost n) in *.
    rewrite plus_IZR, abs_IZR in Ls.
    assert (A : e * Rabs (real F f) <= l * k).
    { apply Rle_trans with (e * ((Rabs (IZR c) + IZR r) * k)).
      - apply Rmult_le_compat_l; auto.
      - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
    replace (real F f + total F (exact F) others - (IZR centre + IZR c * bpow radix2 places) * (unit_ places * k))
      with ((total F (exact F) others - IZR centre * (unit_ places * k)) + (real F f - IZR c * k))
      by (rewrite <- (Rmult_1_r (IZR c * k)), <- Kk; ring).
    pose proof (Rabs_triang (total F (exact F) others - IZR centre * (unit_ places * k))
      (real F f - IZR c * k)).
    replace ((IZR radius + (IZR r + l) * bpow radix2 places) * (unit_ places * k))
      with (IZR radius * (unit_ places * k) + (IZR r + l) * k)
      by (rewrite <- (Rmult_1_r ((IZR r + l) * k)), <- Kk; ring).
    lra.
  - assert (bpow radix2 30 <= bpow radix2 60) by (apply bpow_le; lia).
    rewrite Rmult_plus_distr_r, Rmult_1_l. lra.
  - pose proof t_small as Ht.
    assert (3 <= bpow radix2 32) by (change (bpow radix2 32) with (IZR (2 ^ 32)); simpl; lra).
    assert (3 * smallest_normal F <= bpow radix2 32 * smallest_normal F)
      by (apply Rmult_le_compat_r; lra).
    rewrite Rmult_plus_distr_r, Rmult_1_l. lra.
Qed.

Lemma growth_bound n : INR n * u <= 1 ->
  growth F n <= 1 + INR n * u + (INR n * u) * (INR n * u).
Proof.
  assert (Hu : 0 < u) by apply bpow_gt_0. unfold growth. induction n as [|n IH]; intros H.
  - simpl. lra.
  - rewrite S_INR in *. pose proof (pos_INR n) as Pn. assert (Hn : INR n * u <= 1) by nra.
    specialize (IH Hn). simpl. set (a := INR n) in *.
    assert (0 <= a * u) by nra.
    apply Rle_trans with ((1 + u) * (1 + a * u + a * u * (a * u))).
    + apply Rmult_le_compat_l; lra.
    + assert (a * u * (a * u) * u <= a * u * u) by nra.
      assert (0 <= a * u * u) by nra. assert (0 <= u * u) by nra. nra.
Qed.

Lemma few_terms_spec n : (0 <= n)%Z -> few_terms n = true ->
  (n <= 2 ^ 20)%Z /\ (n <= 2 ^ prec)%Z.
Proof.
  intros Hn H. unfold few_terms in H. apply Z.ltb_lt in H.
  assert (B : forall p, (0 < p)%Z -> (Z.log2 n < p)%Z -> (n <= 2 ^ p)%Z).
  { intros p Hp L. destruct (Z.eq_dec n 0) as [->|Hne]; [apply Z.pow_nonneg; lia|].
    apply Z.lt_le_incl, Z.log2_lt_pow2; lia. }
  split; apply B; unfold prec in *; lia.
Qed.

(** What a machine may compute is near the exact sum. *)
Lemma sum_near n terms others z : (0 <= n)%Z -> few_terms n = true ->
  (Z.of_nat (length terms) <= n)%Z -> Forall (finite F) terms ->
  size_of terms <= INR (length terms) * bpow radix2 60 ->
  costs_of terms <= INR (length terms) * (bpow radix2 32 * smallest_normal F) ->
  Permutation others terms -> sums F others z ->
  is_finite z = true /\ Rabs (real F z - sum_of terms) <= share_lost n * size_of terms + k.
Proof.
  intros Hn Few Hlen Fin S C P Hz. apply few_terms_spec in Few; auto. destruct Few as [Few20 Fewp].
  assert (L : (length terms <= Z.to_nat n)%nat) by lia.
  assert (Cases : terms = [] \/ terms <> []) by (destruct terms; [left | right]; congruence).
  destruct Cases as [Hnil|Hne].
  - assert (others = []).
    { apply Permutation_nil. rewrite Hnil in P. now apply Permutation_sym. }
    rewrite H in Hz. simpl in Hz. subst z. split; [reflexivity|]. rewrite Hnil.
    unfold Rounding.value, size. simpl. rewrite Rminus_0_r, Rabs_R0.
    pose proof (unit_pos K). lra.
  - assert (Hadds : adds F terms z).
    { apply adds_reordered with (others); auto.
      unfold sums in Hz. destruct (others); auto.
      apply Permutation_nil in P. congruence. }
    assert (Hu : 0 < u) by apply bpow_gt_0. pose proof t_small as Ht.
    assert (Nu : IZR n * u <= 1).
    { pose proof Fewp as H. apply IZR_le in H. rewrite IZR_pow in H by (unfold prec; lia).
      apply Rle_trans with (bpow radix2 prec * u); [apply Rmult_le_compat_r; lra|].
      unfold u. fold prec. rewrite <- bpow_plus. replace (prec + - prec)%Z with 0%Z by ring.
      simpl. lra. }
    assert (Ln : INR (length terms) <= IZR n).
    { rewrite INR_IZR_INZ. apply IZR_le. lia. }
    assert (N20 : IZR n <= bpow radix2 20).
    { change (bpow radix2 20) with (IZR (2 ^ 20)). apply IZR_le. lia. }
    pose proof (pos_INR (length terms)) as Pn.
    assert (G : growth F (length terms) <= 1 + share_lost n).
    { apply Rle_trans with (growth F (Z.to_nat n)).
      - apply growth_mono. exact L.
      - unfold share_lost. pose proof (growth_bound (Z.to_nat n)) as B.
        rewrite INR_IZR_INZ, Z2Nat.id in B by lia. specialize (B Nu). lra. }
    assert (G3 : growth F (length terms) <= 3).
    { assert (0 <= IZR n * u) by (apply IZR_le in Hn; nra). unfold share_lost in G. nra. }
    pose proof (growth_least F (length terms)) as G1.
    pose proof (size_pos F terms) as Ps. pose proof (costs_pos F terms) as Pc.
    assert (C52 : costs_of terms <= bpow radix2 52 * smallest_normal F).
    { apply Rle_trans with (1 := C). change 52%Z with (20 + 32)%Z. rewrite bpow_plus, Rmult_assoc.
      apply Rmult_le_compat_r; [|lra]. apply Rmult_le_pos; [apply bpow_ge_0 | lra]. }
    assert (S80 : size_of terms <= bpow radix2 80).
    { apply Rle_trans with (1 := S). change 80%Z with (20 + 60)%Z. rewrite bpow_plus.
      apply Rmult_le_compat_r; [apply bpow_ge_0 | lra]. }
    assert (T55 : bpow radix2 55 * smallest_normal F <= k).
    { unfold smallest_normal, unit_. rewrite <- bpow_plus. apply bpow_le.
      pose proof wide. lia. }
    assert (P55 : bpow radix2 55 = 8 * bpow radix2 52).
    { change 55%Z with (3 + 52)%Z. rewrite bpow_plus. reflexivity. }
    assert (P52 : 1 <= bpow radix2 52).
    { change 1 with (bpow radix2 0). apply bpow_le. lia. }
    destruct (sum_error F terms z Hadds Fin) as [Fz Ez].
    + unfold reach.
      apply Rle_lt_trans with (3 * (bpow radix2 80 + k)).
      * apply Rmult_le_compat; nra.
      * assert (k <= 1) by (change 1 with (bpow radix2 0); apply bpow_le; pose proof wide; lia).
        assert (1 <= bpow radix2 80) by (change 1 with (bpow radix2 0); apply bpow_le; lia).
        apply Rlt_le_trans with (bpow radix2 83); [|apply bpow_le; pose proof wide; lia].
        change 83%Z with (3 + 80)%Z. rewrite bpow_plus. change (bpow radix2 3) with 8. lra.
    + split; auto. apply Rle_trans with (1 := Ez). unfold error.
      assert (A : (growth F (length terms) - 1) * size_of terms
          <= share_lost n * size_of terms) by (apply Rmult_le_compat_r; lra).
      assert (B : growth F (length terms) * (costs_of terms - 3 * smallest_normal F)
          + smallest_normal F <= bpow radix2 55 * smallest_normal F) by nra.
      lra.
Qed.

(** The main lemma: what a machine may compute lies in the ball. *)
Lemma row_sound places n row fs xs gs more hs z : (0 <= places)%Z -> (0 <= n)%Z ->
  Forall2 (contains places) row fs -> Forall2 (contains K) xs gs ->
  Forall2 (contains K) more hs ->
  (Z.of_nat (length gs + length hs) <= n)%Z -> row_gives F fs gs hs z ->
  contains K (row_ball places n row (map (enlarge n) xs) (map (enlarge n) more)) z.
Proof.
  intros Hp Hn Hrow Hxs Hmore Hlen Hz. unfold row_ball.
  destruct (few_terms n) eqn:Few; [|exact I].
  pose proof (more_summed places n Hp Hn _ _ Hmore _ _
    (dot_summed places n Hp Hn _ _ Hrow _ _ Hxs)) as H.
  unfold row_gives in Hz. set (terms := map Number hs ++ products F fs gs) in *.
  assert (P : Permutation (products F fs gs ++ map Number hs) terms)
    by apply Permutation_app_comm.
  destruct (more_balls _ _) as [[c r]|]; [|exact I].
  destruct H as (Hr & Fin & E & S & C). cbn [cut].
  assert (L : (Z.of_nat (length terms) <= n)%Z).
  { unfold terms, products. rewrite app_length, !map_length, combine_length. lia. }
  destruct (sum_near n terms _ z Hn Few L Fin S C P Hz) as [Fz Ez]. pose proof (unit_pos K) as Hk.
  pose proof (shiftr_bounds c places Hp) as Bc. pose proof (shiftr_bounds r places Hp) as Br.
  fold (unit_ places) in Bc, Br.
  apply kept_spec; auto.
  { pose proof (Z.shiftr_nonneg r places). lia. }
  rewrite plus_IZR. rewrite <- Rmult_assoc in E. rewrite <- (Rmult_assoc (IZR r)) in E.
  set (c' := IZR (Z.shiftr c places)) in *. set (r' := IZR (Z.shiftr r places)) in *.
  replace (real F z - c' * k) with ((real F z - sum_of terms)
    + ((sum_of terms - IZR c * unit_ places * k) + (IZR c * unit_ places - c') * k)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (D : Rabs ((IZR c * unit_ places - c') * k) <= k).
  { rewrite Rabs_mult, (Rabs_pos_eq k) by lra. rewrite Rabs_pos_eq by lra. nra. }
  pose proof (Rabs_triang (sum_of terms - IZR c * unit_ places * k) ((IZR c * unit_ places - c') * k)).
  assert (R : IZR r * unit_ places * k <= (r' + 1) * k) by (apply Rmult_le_compat_r; lra).
  simpl IZR. lra.
Qed.

Lemma flushed_near x y : flushed F x y -> is_finite x = true ->
  is_finite y = true /\ Rabs (real F y - real F x) <= smallest_normal F.
Proof.
  pose proof t_small. intros [-> | (_ & Hs & Fy & Ey)] Fx; split; auto.
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - rewrite Ey, Rminus_0_l, Rabs_Ropp. exact Hs.
Qed.

Lemma plus_near x y z : is_finite x = true -> is_finite y = true ->
  Rabs (real F x) <= bpow radix2 30 -> Rabs (real F y) <= bpow radix2 30 -> plus_gives F x y z ->
  is_finite z = true
  /\ Rabs (real F z - (real F x + real F y)) <= u * Rabs (real F x + real F y) + k.
Proof.
  intros Fx Fy Lx Ly (x' & y' & v & Gx & Gy & Gv & Gz).
  destruct wide as (HK & Hroom & H84). pose proof (unit_pos K) as Hk. pose proof t_small as Ht.
  destruct (flushed_near _ _ Gx Fx) as [Fx' Ex]. destruct (flushed_near _ _ Gy Fy) as [Fy' Ey].
  specialize (Gv Fx' Fy'). pose proof (rounding_error F (real F x' + real F y')) as E.
  assert (Hu : 0 < u) by apply bpow_gt_0. pose proof (u_at_most F) as Hu2.
  assert (T : 8 * smallest_normal F <= k).
  { change 8 with (bpow radix2 3). unfold smallest_normal, unit_. rewrite <- bpow_plus.
    apply bpow_le. lia. }
  set (exact := real F x + real F y) in *. set (taken := real F x' + real F y') in *.
  assert (A : Rabs (taken - exact) <= 2 * smallest_normal F).
  { replace (taken - exact) with ((real F x' - real F x) + (real F y' - real F y))
      by (unfold taken, exact; ring).
    pose proof (Rabs_triang (real F x' - real F x) (real F y' - real F y)). lra. }
  assert (At : Rabs taken <= Rabs exact + 2 * smallest_normal F).
  { replace taken with ((taken - exact) + exact) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). lra. }
  assert (Small : Rabs exact <= bpow radix2 31).
  { change 31%Z with (1 + 30)%Z. rewrite bpow_plus. change (bpow radix2 1) with 2.
    pose proof (Rabs_triang (real F x) (real F y)). unfold exact. lra. }
  assert (K1 : k <= 1) by (change 1 with (bpow radix2 0); apply bpow_le; lia).
  assert (P31 : 1 <= bpow radix2 31) by (change 1 with (bpow radix2 0); apply bpow_le; lia).
  destruct Gv as [Fv Ev].
  { apply Rle_lt_trans with (bpow radix2 34); [|apply bpow_lt; lia].
    replace (nearest F taken) with ((nearest F taken - taken) + taken) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    change 34%Z with (3 + 31)%Z. rewrite bpow_plus. change (bpow radix2 3) with 8. nra. }
  destruct (flushed_near _ _ Gz Fv) as [Fz Ez]. rewrite Ev in Ez.
  split; auto.
  replace (real F z - exact) with
    ((real F z - nearest F taken) + ((nearest F taken - taken) + (taken - exact))) by ring.
  pose proof (Rabs_triang (real F z - nearest F taken)
    ((nearest F taken - taken) + (taken - exact))) as T1.
  pose proof (Rabs_triang (nearest F taken - taken) (taken - exact)) as T2.
  assert (Er : u * Rabs taken <= u * Rabs exact + smallest_normal F) by nra. lra.
Qed.

Lemma plus_sound a b x y z : contains K a x -> contains K b y -> plus_gives F x y z ->
  contains K (plus_ball a b) z.
Proof.
  destruct a as [[c r]|]; [|intros; exact I]. destruct b as [[d s]|]; [|intros; exact I].
  intros Hx Hy Hz. destruct wide as (HK & _). pose proof (unit_pos K) as Hk.
  pose proof (contained_size _ _ _ _ HK Hx) as [_ Lx]. pose proof (contained_size _ _ _ _ HK Hy) as [_ Ly].
  destruct Hx as (Hr & _ & Fx & Hx). destruct Hy as (Hs & _ & Fy & Hy).
  destruct (plus_near x y z Fx Fy Lx Ly Hz) as [Fz Ez]. assert (Hu : 0 < u) by apply bpow_gt_0.
  set (exact := real F x + real F y) in *. unfold plus_ball. cbv zeta.
  set (size := (Z.abs (c + d) + r + s)%Z).
  assert (Hp : (0 <= prec)%Z) by (unfold prec; lia).
  pose proof (shiftr_bounds size prec Hp) as B.
  change (bpow radix2 (- prec)) with u in B.
  apply kept_spec; auto.
  { pose proof (proj2 (Z.shiftr_nonneg size prec)). unfold size in *. lia. }
  rewrite !plus_IZR, !Rmult_plus_distr_r.
  assert (Ec : Rabs (exact - (IZR c * k + IZR d * k)) <= IZR r * k + IZR s * k).
  { replace (exact - (IZR c * k + IZR d * k)) with
      ((real F x - IZR c * k) + (real F y - IZR d * k)) by (unfold exact; ring).
    apply Rle_trans with (1 := Rabs_triang _ _). lra. }
  assert (Es : Rabs exact <= IZR size * k).
  { unfold size. rewrite !plus_IZR, abs_IZR, plus_IZR, !Rmult_plus_distr_r.
    replace exact with ((exact - (IZR c * k + IZR d * k)) + (IZR c * k + IZR d * k)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    replace (Rabs (IZR c * k + IZR d * k)) with (Rabs (IZR c + IZR d) * k)
      by (rewrite <- Rmult_plus_distr_r, Rabs_mult, (Rabs_pos_eq k) by lra; reflexivity).
    lra. }
  assert (Eu : u * Rabs exact <= IZR (Z.shiftr size prec) * k + k).
  { apply Rle_trans with (u * (IZR size * k)); [apply Rmult_le_compat_l; lra|].
    assert (IZR size * u * k <= (IZR (Z.shiftr size prec) + 1) * k)
      by (apply Rmult_le_compat_r; lra).
    lra. }
  replace (real F z - (IZR c * k + IZR d * k)) with
    ((real F z - exact) + (exact - (IZR c * k + IZR d * k))) by ring.
  pose proof (Rabs_triang (real F z - exact) (exact - (IZR c * k + IZR d * k))).
  simpl IZR. lra.
Qed.

Lemma rectified_is x : is_finite x = true ->
  is_finite (rectified F x) = true /\ real F (rectified F x) = Rmax (real F x) 0.
Proof.
  intros Fx. unfold rectified. rewrite Bltb_correct by auto. unfold zero. simpl B2R.
  destruct (Rlt_bool_spec (B2R x) 0) as [L|L]; unfold real.
  - split; [reflexivity|]. rewrite Rmax_right; [reflexivity | lra].
  - split; [exact Fx|]. rewrite Rmax_left; [reflexivity | lra].
Qed.

Lemma rectified_sound b x : contains K b x -> contains K (rectified_ball b) (rectified F x).
Proof.
  destruct b as [[c r]|]; simpl; auto. intros (Hr & Hl & Fx & H). pose proof (unit_pos K) as Hk.
  destruct (rectified_is x Fx) as [Fr ->]. repeat split; auto; [lia|].
  assert (Z0 : IZR (Z.max c 0) * k = Rmax (IZR c * k) 0).
  { destruct (Z.le_ge_cases c 0) as [L|L].
    - rewrite Z.max_r by assumption. apply IZR_le in L. rewrite Rmax_right; nra.
    - rewrite Z.max_l by assumption. apply IZR_le in L. rewrite Rmax_left; nra. }
  rewrite Z0. apply Rle_trans with (2 := H).
  unfold Rmax. destruct (Rle_dec (real F x) 0), (Rle_dec (IZR c * k) 0);
    unfold Rabs; repeat destruct (Rcase_abs _); lra.
Qed.

Lemma sign_sound b x bit : contains K b x -> sign_of b = Some bit -> Bleb (zero F) x = bit.
Proof.
  destruct b as [[c r]|]; simpl; [|discriminate]. intros (Hr & _ & Fx & H) E.
  pose proof (unit_pos K) as Hk. rewrite Bleb_correct by auto. change (B2R (zero F)) with 0.
  fold (real F x). apply Rabs_le_inv in H.
  destruct (Z.ltb_spec r c) as [L|L].
  - injection E as <-. apply IZR_lt in L. apply Rle_bool_true. nra.
  - destruct (Z.ltb_spec (c + r) 0) as [L'|L']; [|discriminate]. injection E as <-.
    apply IZR_lt in L'. rewrite plus_IZR in L'. apply Rle_bool_false. nra.
Qed.

Lemma below_sound a b x y : contains K a x -> contains K b y -> below a b = true ->
  Bltb x y = true /\ Bltb y x = false.
Proof.
  destruct a as [[c r]|], b as [[d s]|]; simpl; try discriminate.
  intros (Hr & _ & Fx & Hx) (Hs & _ & Fy & Hy) L. pose proof (unit_pos K) as Hk.
  apply Z.ltb_lt in L. apply IZR_lt in L. rewrite plus_IZR, minus_IZR in L.
  rewrite !Bltb_correct by auto. fold (real F x). fold (real F y).
  apply Rabs_le_inv in Hx, Hy. split; [apply Rlt_bool_true | apply Rlt_bool_false]; nra.
Qed.

End Balls.
