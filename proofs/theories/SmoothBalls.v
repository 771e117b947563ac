(** Balls around numbers of norms, softmax, tanh and the logistic function in floating point. *)

From Coq Require Import List ZArith Reals Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Floats FloatFunctions Balls Enclosures.
Import ListNotations.
Local Open Scope Z_scope.

Section Balls.

Variables (F : format) (K : Z).

Notation unit := (2 ^ K).

(** The ball of a number that is [near] what [e] encloses. *)
Definition near_ball (n size scope : Z) (e : Z * Z) : ball :=
  if scope <? 2 ^ (K + 40) then kept K (fst e) (snd e + Z.shiftr (n * size) (precision F) + 2)
  else None.

Definition within_ball (units : Z) (e : Z * Z) : ball :=
  near_ball (2 * units) (size e) (unit + size e) e.

Definition applied_ball (f : Z * Z -> ball) (b : ball) : ball :=
  match b with Some e => f e | None => None end.

Definition exp_ball : ball -> ball :=
  applied_ball (fun e => applied_ball (within_ball 20) (exp_e K e)).

Definition tanh_ball : ball -> ball := applied_ball (fun e => within_ball 8 (tanh_e K e)).

Definition logistic_ball : ball -> ball := applied_ball (fun e => within_ball 22 (logistic_e K e)).

(** A product with a constant that [factor] encloses. *)
Definition scaled_ball (factor : Z * Z) : ball -> ball :=
  applied_ball
    (fun e =>
       near_ball 4 (times_up K (size e) (size factor))
         (times_up K (unit + size e) (unit + size factor)) (times_e K e factor)).

(** All of them, if all are known. *)
Fixpoint known {A} (these : list (option A)) : option (list A) :=
  match these with
  | [] => Some []
  | Some x :: these => match known these with Some xs => Some (x :: xs) | None => None end
  | None :: _ => None
  end.

(** ** Softmax *)

Definition top_e (e : Z * Z) (es : list (Z * Z)) : Z * Z :=
  of_ends (fold_right Z.max (low e) (map low es), fold_right Z.max (high e) (map high es)).

Definition shifted_ball (top e : Z * Z) : ball :=
  near_ball 6 (size e + size top) (unit + size e + size top) (minus_e e top).

(** The ball of a power [p] divided by the sum of all powers, whose centres and radii add to [sum]
    and [radius], and which comes out with an error of at most [off]. What moves both counts once:
    for p near the sum it moves the quotient little. *)
Definition share_ball (sum radius off : Z) (p : Z * Z) : ball :=
  let least := sum - radius in
  let moved := snd p * Z.abs (sum - fst p) + fst p * (radius - snd p) in
  let share := (quotient_down K (fst p) sum, quotient_down K moved (least * sum) + 2) in
  let e := times_e K share (unit, quotient_down K off (least - off) + 1) in
  let inverse := quotient_down K unit (least - off) + 1 in
  if 0 <=? fst p then near_ball 4 (size e) (times_up K (unit + size p) (unit + inverse)) e else None.

Definition shares (powers : list (Z * Z)) : list ball :=
  let '(sum, radius) := sum_e powers in
  let n := Z.of_nat (length powers) in
  let off := lost F n (fst (sum_e (map (fun p => (size p, 0)) powers))) + 1 in
  if few_terms F n && (off <? sum - radius) then map (share_ball sum radius off) powers
  else map (fun _ => None) powers.

Definition softmax_balls (logits : list ball) : list ball :=
  match known logits with
  | Some (e :: es) =>
      match known (map (fun l => exp_ball (shifted_ball (top_e e es) l)) (e :: es)) with
      | Some powers => shares powers
      | None => map (fun _ => None) logits
      end
  | _ => map (fun _ => None) logits
  end.

(** ** Layer norm *)

Definition mean_e (es : list (Z * Z)) : Z * Z :=
  shared_e (Z.of_nat (length es)) (sum_e es).

Definition mean_square_e (es : list (Z * Z)) : Z * Z :=
  mean_e (map (fun e => times_e K e e) es).

Definition epsilon_e : Z * Z := (unit / 100000, 1).

(** The balls of the mean and of 1 / root of the variance. *)
Definition mean_ball (es : list (Z * Z)) : ball :=
  let n := Z.of_nat (length es) in
  let most := root_up K (size (mean_square_e es)) in
  near_ball (n + 24) most ((n + 1) * (unit + most)) (mean_e es).

Definition variance_ball (es : list (Z * Z)) : ball :=
  let n := Z.of_nat (length es) in
  let m := mean_e es in
  let most := size (mean_square_e es) in
  near_ball (3 * n + 80) most ((n + 1) * (n + 1) * (unit + most))
    (mean_square_e (map (fun e => minus_e e m) es)).

Definition root_ball (s : ball) : ball :=
  applied_ball
    (fun e =>
       let w := plus_e e epsilon_e in
       if 0 <? low w then let f := root_e K w in near_ball 8 (size f) (unit + size f) f else None)
    s.

Definition normed_ball (m r g b x : ball) : ball :=
  match m, r, g, b, x with
  | Some m, Some r, Some g, Some b, Some x =>
      let reach := size x + size m in
      near_ball 6 (times_up K (size g) (times_up K reach (size r)) + size b)
        (times_up K (unit + size g) (times_up K (unit + reach) (unit + size r)) + size b)
        (plus_e (times_e K g (times_e K (minus_e x m) r)) b)
  | _, _, _, _, _ => None
  end.

Definition norm_balls (gain shift x : list ball) : list ball :=
  let '(m, r) :=
    match known x with
    | Some (e :: es) => (mean_ball (e :: es), root_ball (variance_ball (e :: es)))
    | _ => (None, None)
    end in
  map (fun '((g, b), a) => normed_ball m r g b a) (combine (combine gain shift) x).

(** * They are right *)

Local Open Scope R_scope.

Hypothesis room : has_room F K = true.

Let K_pos : (0 <= K)%Z.
Proof. apply (wide F K room). Qed.

Notation contains := (contains F K).
Notation around := (around K).

Lemma contains_around e x : contains (Some e) x -> around e (real F x) /\ is_finite x = true.
Proof. destruct e as [c r]. intros (_ & _ & Fx & H). split; auto. Qed.

Lemma radius_pos e x : around e x -> (0 <= snd e)%Z.
Proof.
  unfold Enclosures.around. intros H. pose proof (Rabs_pos (x - val K (fst e))) as P.
  apply le_IZR. apply Rmult_le_reg_r with (unit_ K); [apply unit_positive|].
  rewrite Rmult_0_l. apply Rle_trans with (1 := P). exact H.
Qed.

Lemma near_is n sz sc size scope exact z : (0 <= n)%Z -> 0 <= size <= val K sz ->
  scope <= val K sc -> (sc < 2 ^ (K + 40))%Z -> near F n size scope exact z ->
  is_finite z = true
  /\ Rabs (real F z - exact) <= val K (Z.shiftr (n * sz) (precision F) + 2)%Z.
Proof.
  intros Hn Hsize Hscope L Hz. destruct (wide F K room) as (_ & Hroom & _).
  assert (S40 : scope < bpow radix2 40).
  { apply Rle_lt_trans with (1 := Hscope). apply IZR_lt in L. rewrite IZR_pow in L by lia.
    apply Rlt_le_trans with (bpow radix2 (K + 40) * unit_ K).
    - apply Rmult_lt_compat_r; [apply unit_positive | exact L].
    - unfold unit_. rewrite <- bpow_plus. apply bpow_le. lia. }
  destruct (Hz S40) as [Fz Ez]. split; auto. apply Rle_trans with (1 := Ez).
  assert (Hsz : (0 <= sz)%Z) by (apply (val_nonneg K); lra).
  assert (Hp : (0 <= precision F)%Z) by (pose proof (has_digits F) as H; unfold Prec_gt_0 in H; lia).
  replace (Z.shiftr (n * sz) (precision F) + 2)%Z
    with ((Z.shiftr (n * sz) (precision F) + 1) + 1)%Z by ring.
  rewrite (val_plus K (_ + 1)).
  pose proof (shiftr_bounds F (n * sz) (precision F) Hp) as [B _]. rewrite mult_IZR in B.
  set (u := bpow radix2 (- precision F)) in *. assert (U : 0 < u) by apply bpow_gt_0.
  apply Rplus_le_compat.
  - apply Rle_trans with (IZR n * u * val K sz).
    + apply IZR_le in Hn. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | lra].
    + unfold val. rewrite plus_IZR. pose proof (unit_positive K).
      replace (IZR n * u * (IZR sz * unit_ K)) with (IZR n * IZR sz * u * unit_ K) by ring.
      apply Rmult_le_compat_r; lra.
  - unfold val, smallest_normal, unit_. rewrite Rmult_1_l, <- bpow_plus. apply bpow_le. lia.
Qed.

Lemma near_sound n sz sc e size scope exact z : around e exact -> (0 <= n)%Z ->
  0 <= size <= val K sz -> scope <= val K sc -> near F n size scope exact z ->
  contains (near_ball n sz sc e) z.
Proof.
  intros He Hn Hsize Hscope Hz. unfold near_ball.
  destruct (Z.ltb_spec sc (2 ^ (K + 40))) as [L|]; [|exact I].
  destruct (near_is n sz sc size scope exact z Hn Hsize Hscope L Hz) as [Fz Ez].
  pose proof (radius_pos _ _ He) as Hr. assert (Hsz : (0 <= sz)%Z) by (apply (val_nonneg K); lra).
  apply kept_spec; auto.
  { assert (0 <= Z.shiftr (n * sz) (precision F))%Z by (apply Z.shiftr_nonneg; nia). lia. }
  change (Rabs (real F z - val K (fst e))
    <= val K (snd e + Z.shiftr (n * sz) (precision F) + 2)%Z).
  replace (snd e + Z.shiftr (n * sz) (precision F) + 2)%Z
    with (snd e + (Z.shiftr (n * sz) (precision F) + 2))%Z by ring.
  rewrite val_plus.
  replace (real F z - val K (fst e)) with ((real F z - exact) + (exact - val K (fst e))) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). unfold Enclosures.around in He. lra.
Qed.

Lemma val_1 : val K unit = 1.
Proof. apply (val_unit K K_pos). Qed.

Lemma within_sound units e exact z : (0 <= units)%Z -> around e exact -> within F units exact z ->
  contains (within_ball units e) z.
Proof.
  intros Hu He Hz. pose proof (around_size K e exact He) as S. pose proof (Rabs_pos exact).
  eapply near_sound; [exact He | lia | | | exact Hz]; [lra|].
  rewrite val_plus, val_1. lra.
Qed.

Lemma exp_sound b x z : contains b x -> exp_gives F x z -> contains (exp_ball b) z.
Proof.
  destruct b as [e|]; [|intros; exact I]. intros Hb Hz. apply contains_around in Hb.
  destruct Hb as [He Fx]. specialize (Hz Fx). unfold exp_ball, applied_ball.
  destruct (exp_e K e) as [f|] eqn:E; [|exact I].
  apply within_sound with (exp (real F x)); [lia | | exact Hz].
  now apply (exp_around K K_pos) with e.
Qed.

Lemma tanh_sound b x z : contains b x -> tanh_gives F x z -> contains (tanh_ball b) z.
Proof.
  destruct b as [e|]; [|intros; exact I]. intros Hb Hz. apply contains_around in Hb.
  destruct Hb as [He Fx]. specialize (Hz Fx). unfold tanh_ball, applied_ball.
  apply within_sound with (tanh (real F x)); [lia | | exact Hz].
  now apply (tanh_around K K_pos).
Qed.

Lemma logistic_sound b x z : contains b x -> logistic_gives F x z -> contains (logistic_ball b) z.
Proof.
  destruct b as [e|]; [|intros; exact I]. intros Hb Hz. apply contains_around in Hb.
  destruct Hb as [He Fx]. specialize (Hz Fx). unfold logistic_ball, applied_ball.
  apply within_sound with (logistic (real F x)); [lia | | exact Hz].
  now apply (logistic_around K K_pos).
Qed.

Lemma times_up_is a b x y : 0 <= x <= val K a -> 0 <= y <= val K b ->
  0 <= x * y <= val K (times_up K a b).
Proof. now apply times_up_spec. Qed.

Lemma sized e x : around e x -> 0 <= Rabs x <= val K (size e).
Proof. intros H. split; [apply Rabs_pos | now apply around_size]. Qed.

Lemma unit_sized e x : around e x -> 0 <= 1 + Rabs x <= val K (unit + size e)%Z.
Proof. intros H. pose proof (sized e x H). rewrite val_plus, val_1. lra. Qed.

Lemma scaled_sound factor f b x z : 0 <= f -> around factor f -> contains b x ->
  scaled_gives F f x z -> contains (scaled_ball factor b) z.
Proof.
  intros Hf Hfactor. destruct b as [e|]; [|intros; exact I]. intros Hb Hz.
  apply contains_around in Hb. destruct Hb as [He Fx]. specialize (Hz Fx).
  unfold scaled_ball, applied_ball. pose proof (sized _ _ Hfactor) as Sf.
  pose proof (unit_sized _ _ Hfactor) as Uf. rewrite (Rabs_pos_eq f) in Sf, Uf by assumption.
  eapply near_sound; [| | | | exact Hz]; [now apply times_around | lia | |].
  - apply times_up_is; auto. now apply sized.
  - apply times_up_is; auto. now apply unit_sized.
Qed.

Lemma known_all balls es xs : Forall2 contains balls xs -> known balls = Some es ->
  Forall2 around es (map (real F) xs) /\ Forall (fun x : float F => is_finite x = true) xs
  /\ balls = map Some es.
Proof.
  intros H. revert es. induction H as [|b x balls xs Hb _ IH]; intros es E; simpl in E.
  - injection E as <-. repeat split; constructor.
  - destruct b as [e|]; [|discriminate]. destruct (known balls) as [others|]; [|discriminate].
    injection E as <-. destruct (IH _ eq_refl) as (A & B & C). apply contains_around in Hb.
    destruct Hb as [Hb Fx]. simpl. repeat split; try constructor; auto. now rewrite C.
Qed.

(** ** Softmax *)

Lemma top_around e es x xs top : around e x -> Forall2 around es xs -> In top (x :: xs) ->
  Forall (fun l => l <= top) (x :: xs) -> around (top_e e es) top.
Proof.
  intros He Hes Hin Hall. apply ends_around.
  apply around_ends in He. inversion Hall as [|? ? Hx Hxs]; subst. split.
  - clear Hin Hall. induction Hes as [|f y es xs Hf _ IH]; simpl; [lra|].
    inversion Hxs; subst. apply around_ends in Hf.
    destruct (Z.max_spec (low f) (fold_right Z.max (low e) (map low es))) as [[_ ->] | [_ ->]];
      [now apply IH | lra].
  - assert (A : val K (high e) <= val K (fold_right Z.max (high e) (map high es))
      /\ Forall (fun y => y <= val K (fold_right Z.max (high e) (map high es))) xs).
    { clear Hin Hall Hxs. induction Hes as [|f y es xs Hf _ [IH1 IH2]]; simpl; [split; [lra | constructor]|].
      apply around_ends in Hf. set (m := fold_right Z.max (high e) (map high es)) in *.
      pose proof (val_mono K m (Z.max (high f) m) ltac:(lia)).
      pose proof (val_mono K (high f) (Z.max (high f) m) ltac:(lia)).
      split; [lra|]. constructor; [lra|]. rewrite Forall_forall in *. intros a Ha.
      specialize (IH2 a Ha). simpl in IH2. lra. }
    destruct A as [A1 A2]. destruct Hin as [<-|Hin]; [lra|]. rewrite Forall_forall in A2.
    apply (A2 top Hin).
Qed.

Lemma unknown_all {A} (xs : list A) ys : length xs = length ys ->
  Forall2 contains (map (fun _ => None) xs) ys.
Proof.
  revert ys. induction xs as [|x xs IH]; intros [|y ys] E; simpl in *; try discriminate;
    constructor; auto. exact I.
Qed.

Lemma related_length {A B} (related : A -> B -> Prop) xs ys :
  Forall2 related xs ys -> length xs = length ys.
Proof. induction 1; simpl; auto. Qed.

(** What is known of numbers for a sum of them. *)
Definition moderate (f : float F) : Prop := is_finite f = true /\ Rabs (real F f) <= bpow radix2 30.

Lemma contained_moderate places e f : (0 <= places)%Z -> Lengthwise.Balls.contains F places (Some e) f -> moderate f.
Proof.
  destruct e as [c r]. intros Hp H. split; [apply H|]. now apply (contained_size F places c r f Hp H).
Qed.

Lemma numbers_are hs :
  Rounding.value F (map Number hs) = total (map (real F) hs)
  /\ Rounding.size F (map Number hs) = total (map Rabs (map (real F) hs)).
Proof.
  unfold Rounding.value, Rounding.size, total. induction hs as [|h hs [A B]]; simpl; [split; reflexivity|].
  rewrite A, B. split; reflexivity.
Qed.

Lemma moderate_terms terms :
  Forall (fun t => match t with Number x => moderate x | Product x y => moderate x /\ moderate y end) terms ->
  Forall (Rounding.finite F) terms
  /\ Rounding.size F terms <= INR (length terms) * bpow radix2 60
  /\ Rounding.costs F terms <= INR (length terms) * (bpow radix2 32 * smallest_normal F).
Proof.
  pose proof (t_small F) as T.
  assert (B60 : bpow radix2 60 = bpow radix2 30 * bpow radix2 30) by (rewrite <- bpow_plus; reflexivity).
  assert (B1 : 1 <= bpow radix2 30) by (change 1 with (bpow radix2 0); apply bpow_le; lia).
  assert (B32 : bpow radix2 32 = 4 * bpow radix2 30).
  { change 32%Z with (2 + 30)%Z. rewrite bpow_plus. reflexivity. }
  assert (B2 : 4 <= 2 * bpow radix2 30).
  { change 30%Z with (1 + 29)%Z. rewrite bpow_plus. change (bpow radix2 1) with 2.
    assert (1 <= bpow radix2 29) by (change 1 with (bpow radix2 0); apply bpow_le; lia). lra. }
  assert (T3 : 3 * smallest_normal F <= bpow radix2 32 * smallest_normal F)
    by (apply Rmult_le_compat_r; lra).
  assert (B30 : bpow radix2 30 <= bpow radix2 60) by (apply bpow_le; lia).
  unfold Rounding.size, Rounding.costs. induction 1 as [|t terms Ht _ (A & S & C)].
  - simpl. repeat split; [constructor | lra | lra].
  - cbn [Rounding.total length]. rewrite S_INR, !Rmult_plus_distr_r, !Rmult_1_l.
    destruct t as [x|x y]; cbn [Rounding.exact Rounding.cost].
    + destruct Ht as [Fx Bx]. repeat split; [constructor; auto | lra | lra].
    + destruct Ht as [[Fx Bx] [Fy By]]. rewrite Rabs_mult.
      assert (Rabs (real F x) * Rabs (real F y) <= bpow radix2 60)
        by (rewrite B60; apply Rmult_le_compat; auto using Rabs_pos).
      assert (smallest_normal F * (4 + Rabs (real F x) + Rabs (real F y))
        <= bpow radix2 32 * smallest_normal F)
        by (rewrite Rmult_comm; apply Rmult_le_compat_r; lra).
      repeat split; [constructor; simpl; auto | lra | lra].
Qed.

Lemma related_impl {A B} (P Q : A -> B -> Prop) xs ys : (forall x y, P x y -> Q x y) ->
  Forall2 P xs ys -> Forall2 Q xs ys.
Proof. intros H. induction 1; constructor; auto. Qed.

(** The sum of all numbers but one. *)
Lemma others_around ps xs : Forall2 around ps xs ->
  Forall2 (fun p x => Rabs ((total xs - x) - val K (fst (sum_e ps) - fst p))
                      <= val K (snd (sum_e ps) - snd p)) ps xs.
Proof.
  assert (G : forall ps xs, Forall2 around ps xs -> forall a d r, Rabs (a - d) <= r ->
    Forall2 (fun p x => Rabs ((a + total xs - x) - (d + val K (fst (sum_e ps)) - val K (fst p)))
                        <= r + val K (snd (sum_e ps)) - val K (snd p)) ps xs).
  { induction 1 as [|p x qs ys Hp H IH]; intros a d r Ha; constructor.
    - pose proof (sum_around K _ _ H) as A. fold (total ys) in A. unfold Enclosures.around in A.
      change (total (x :: ys)) with (x + total ys).
      change (sum_e (p :: qs)) with (plus_e p (sum_e qs)). unfold plus_e. cbn [fst snd].
      rewrite !val_plus.
      replace (a + (x + total ys) - x - (d + (val K (fst p) + val K (fst (sum_e qs))) - val K (fst p)))
        with ((a - d) + (total ys - val K (fst (sum_e qs)))) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). lra.
    - assert (B : Rabs ((a + x) - (d + val K (fst p))) <= r + val K (snd p)).
      { replace (a + x - (d + val K (fst p))) with ((a - d) + (x - val K (fst p))) by ring.
        apply Rle_trans with (1 := Rabs_triang _ _). unfold Enclosures.around in Hp. lra. }
      eapply related_impl; [|exact (IH _ _ _ B)]. intros q y A. cbv beta in A.
      change (total (x :: ys)) with (x + total ys).
      change (sum_e (p :: qs)) with (plus_e p (sum_e qs)). unfold plus_e. cbn [fst snd].
      rewrite !val_plus.
      replace (a + (x + total ys) - y - (d + (val K (fst p) + val K (fst (sum_e qs))) - val K (fst q)))
        with (a + x + total ys - y - (d + val K (fst p) + val K (fst (sum_e qs)) - val K (fst q))) by ring.
      lra. }
  intros H. eapply related_impl; [|apply (G ps xs H 0 0 0)].
  - intros p x A. cbv beta in A. rewrite !val_minus.
    replace (total xs - x - (val K (fst (sum_e ps)) - val K (fst p)))
      with (0 + total xs - x - (0 + val K (fst (sum_e ps)) - val K (fst p))) by ring.
    lra.
  - rewrite Rminus_0_r, Rabs_R0. lra.
Qed.

Lemma share_sound sum radius off p all t fp z : is_finite fp = true -> is_finite t = true ->
  around p (real F fp) ->
  Rabs ((all - real F fp) - val K (sum - fst p)) <= val K (radius - snd p) ->
  Rabs (all - val K sum) <= val K radius -> Rabs (real F t - all) <= val K off ->
  (off < sum - radius)%Z -> quotient_gives F t fp z -> contains (share_ball sum radius off p) z.
Proof.
  intros Fp Ft Hp Ho Ha Ht Hoff Hz. specialize (Hz Fp Ft). unfold share_ball. cbv zeta.
  destruct (Z.leb_spec 0 (fst p)) as [P0|]; [|exact I].
  set (least := (sum - radius)%Z) in *. set (x := real F fp) in *.
  assert (O0 : 0 <= val K off) by (pose proof (Rabs_pos (real F t - all)); lra).
  assert (R0 : 0 <= val K radius) by (pose proof (Rabs_pos (all - val K sum)); lra).
  pose proof (val_mono K (off + 1) least ltac:(lia)) as L1. rewrite val_plus in L1.
  assert (One : 0 < val K 1) by (unfold val; rewrite Rmult_1_l; apply unit_positive).
  assert (Sum : val K sum = val K least + val K radius) by (unfold least; rewrite val_minus; ring).
  assert (All : val K least <= all) by (apply Rabs_le_inv in Ha; lra).
  assert (Tl : val K (least - off) <= real F t) by (rewrite val_minus; apply Rabs_le_inv in Ht; lra).
  assert (Lo : 0 < val K (least - off)) by (rewrite val_minus; lra).
  pose proof (val_pos K (fst p) P0) as C0.
  set (moved := (snd p * Z.abs (sum - fst p) + fst p * (radius - snd p))%Z) in *.
  assert (M : Rabs (x * val K sum - val K (fst p) * all) <= val K moved * unit_ K).
  { replace (x * val K sum - val K (fst p) * all) with
      ((x - val K (fst p)) * val K (sum - fst p)
       - val K (fst p) * ((all - x) - val K (sum - fst p))) by (rewrite val_minus; ring).
    unfold Rminus at 1. apply Rle_trans with (1 := Rabs_triang _ _).
    rewrite Rabs_Ropp, !Rabs_mult, val_abs, (Rabs_pos_eq _ C0).
    replace (val K moved * unit_ K) with (val K (snd p) * val K (Z.abs (sum - fst p))
      + val K (fst p) * val K (radius - snd p))
      by (unfold moved, val; rewrite plus_IZR, !mult_IZR; ring).
    apply Rplus_le_compat; [|apply Rmult_le_compat_l; auto].
    apply Rmult_le_compat_r; [apply val_pos; lia | exact Hp]. }
  assert (Share : around (quotient_down K (fst p) sum, (quotient_down K moved (least * sum) + 2)%Z)
    (x / all)).
  { unfold Enclosures.around. cbn [fst snd].
    pose proof (quotient_bounds K K_pos (fst p) sum (val K (fst p)) (val K sum) ltac:(lra)
      ltac:(lra) ltac:(lra) C0) as Q1.
    pose proof (quotient_up K K_pos (fst p) sum (val K (fst p)) (val K sum) ltac:(lra)
      ltac:(lra) ltac:(lra) C0) as Q2.
    rewrite val_plus in Q2.
    assert (Lp : val K (least * sum) = val K least * val K sum * bpow radix2 K).
    { unfold val. rewrite mult_IZR. pose proof (unit_inverse K) as U.
      replace (IZR least * unit_ K * (IZR sum * unit_ K) * bpow radix2 K)
        with (IZR least * IZR sum * unit_ K * (bpow radix2 K * unit_ K)) by ring. rewrite U. ring. }
    pose proof (bpow_gt_0 radix2 K) as B.
    assert (LS : 0 < val K least * val K sum) by (apply Rmult_lt_0_compat; lra).
    assert (D : Rabs (x / all - val K (fst p) / val K sum) <= val K moved / val K (least * sum)).
    { replace (x / all - val K (fst p) / val K sum)
        with ((x * val K sum - val K (fst p) * all) * / (all * val K sum)) by (field; lra).
      rewrite Rabs_mult. assert (AS : 0 < all * val K sum) by (apply Rmult_lt_0_compat; lra).
      rewrite (Rabs_pos_eq (/ _)) by (apply Rlt_le, Rinv_0_lt_compat, AS).
      apply Rle_trans with (val K moved * unit_ K * / (val K least * val K sum)).
      - apply Rmult_le_compat; [apply Rabs_pos | apply Rlt_le, Rinv_0_lt_compat, AS | exact M |].
        apply Rinv_le_contravar; [exact LS|]. apply Rmult_le_compat_r; lra.
      - right. rewrite Lp. pose proof (unit_inverse K) as U.
        replace (unit_ K) with (/ bpow radix2 K)
          by (apply Rmult_eq_reg_l with (bpow radix2 K); [rewrite U; field | ]; lra).
        field. repeat split; lra. }
    assert (M0 : 0 <= val K moved).
    { pose proof (Rabs_pos (x * val K sum - val K (fst p) * all)). pose proof (unit_positive K).
      apply Rmult_le_reg_r with (unit_ K); lra. }
    assert (LSp : 0 < val K (least * sum)) by (rewrite Lp; apply Rmult_lt_0_compat; lra).
    pose proof (quotient_up K K_pos moved (least * sum) (val K moved) (val K (least * sum)) LSp
      ltac:(lra) ltac:(lra) M0) as Q3.
    rewrite val_plus in Q3.
    replace (quotient_down K moved (least * sum) + 2)%Z
      with (quotient_down K moved (least * sum) + 1 + 1)%Z by ring.
    rewrite !val_plus.
    replace (x / all - val K (quotient_down K (fst p) sum)) with
      ((x / all - val K (fst p) / val K sum)
       + (val K (fst p) / val K sum - val K (quotient_down K (fst p) sum))) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _).
    assert (Rabs (val K (fst p) / val K sum - val K (quotient_down K (fst p) sum)) <= val K 1)
      by (apply Rabs_le; lra).
    lra. }
  assert (Turned : around (unit, (quotient_down K off (least - off) + 1)%Z) (all / real F t)).
  { unfold Enclosures.around. cbn [fst snd]. rewrite val_1.
    pose proof (quotient_up K K_pos off (least - off) (val K off) (real F t) Lo ltac:(lra) Tl O0) as Q.
    apply Rle_trans with (2 := Q).
    replace (all / real F t - 1) with (- (real F t - all) * / real F t) by (field; lra).
    rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq (/ _)) by (apply Rlt_le, Rinv_0_lt_compat; lra).
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | exact Ht]. }
  pose proof (times_around K K_pos _ _ _ _ Share Turned) as E.
  replace (x / all * (all / real F t)) with (x / real F t) in E by (field; lra).
  assert (Inv : 0 <= Rabs (/ real F t) <= val K (quotient_down K unit (least - off) + 1)).
  { split; [apply Rabs_pos|]. rewrite Rabs_pos_eq by (apply Rlt_le, Rinv_0_lt_compat; lra).
    replace (/ real F t) with (1 / real F t) by (unfold Rdiv; ring).
    apply (quotient_up K K_pos); rewrite ?val_1; lra. }
  eapply near_sound; [exact E | lia | | | exact Hz].
  - now apply sized.
  - apply times_up_is; [now apply unit_sized|]. rewrite val_plus, val_1. lra.
Qed.

Lemma shares_sound powers fs t weights : Forall2 contains (map Some powers) fs ->
  sums F (map Number fs) t -> Forall2 (quotient_gives F t) fs weights ->
  Forall2 contains (shares powers) weights.
Proof.
  intros H Ht Hw. unfold shares. pose proof (related_length _ _ _ H) as Lf. rewrite map_length in Lf.
  pose proof (related_length _ _ _ Hw) as Lw.
  assert (A : Forall2 around powers (map (real F) fs) /\ Forall (fun f : float F => is_finite f = true) fs).
  { clear - H. revert fs H. induction powers as [|p ps IH]; intros fs H; inversion H; subst;
      [split; constructor|]. destruct (IH _ H4) as [A B]. apply contains_around in H2.
    destruct H2. split; constructor; auto. }
  destruct A as [A Fin]. pose proof (sum_around K _ _ A) as S. pose proof (others_around _ _ A) as O.
  destruct (sum_e powers) as [sum radius]. cbn [fst snd] in O.
  set (n := Z.of_nat (length powers)). set (sizes := fst (sum_e (map (fun p => (size p, 0%Z)) powers))).
  set (off := (lost F n sizes + 1)%Z).
  destruct (few_terms F n && (off <? sum - radius)%Z)%bool eqn:C; [|apply unknown_all; lia].
  apply andb_true_iff in C. destruct C as [Few Off]. apply Z.ltb_lt in Off.
  assert (T : Forall (Rounding.finite F) (map Number fs)
    /\ Rounding.size F (map Number fs) <= INR (length (map (@Number F) fs)) * bpow radix2 60
    /\ Rounding.costs F (map Number fs)
       <= INR (length (map (@Number F) fs)) * (bpow radix2 32 * smallest_normal F)).
  { apply moderate_terms. clear - H K_pos. revert fs H.
    induction powers as [|p ps IH]; intros fs H; inversion H; subst; simpl; constructor; auto.
    now apply contained_moderate with K p. }
  destruct T as (T1 & T2 & T3).
  destruct (sum_near F K room n (map Number fs) (map Number fs) t) as [Ft Et]; auto.
  { unfold n. lia. }
  { unfold n. rewrite map_length. lia. }
  destruct (numbers_are fs) as [V1 V2]. rewrite V1, V2 in Et.
  assert (Z : 0 <= total (map Rabs (map (real F) fs)) <= val K sizes).
  { unfold sizes, total. clear - A. induction A as [|p x ps xs Hp _ IH]; simpl; [rewrite val_0; lra|].
    pose proof (sized _ _ Hp). rewrite val_plus. lra. }
  assert (Sp : (0 <= sizes)%Z) by (apply (val_nonneg K); lra).
  assert (Et' : Rabs (real F t - total (map (real F) fs)) <= val K off).
  { apply Rle_trans with (1 := Et). unfold off. rewrite val_plus.
    assert (U : unit_ K = val K 1) by (unfold val; ring). rewrite U. apply Rplus_le_compat_r.
    pose proof (lost_spec F n sizes ltac:(unfold n; lia) Sp) as L.
    pose proof (share_lost_pos F n ltac:(unfold n; lia)).
    apply Rle_trans with (share_lost F n * val K sizes); [apply Rmult_le_compat_l; lra|].
    unfold val. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply Rlt_le, unit_positive | exact L]. }
  unfold total in *. set (all := fold_right Rplus 0 (map (real F) fs)) in *.
  clearbody all off. clear - A O S Ft Fin Et' Off Hw room K_pos. revert weights Hw Fin.
  remember (map (real F) fs) as xs eqn:E. revert fs E.
  induction A as [|p x ps xs Hp _ IH]; intros fs E weights Hw Fin.
  - destruct fs; [|discriminate]. inversion Hw. constructor.
  - destruct fs as [|f fs]; [discriminate|]. injection E as -> ->.
    inversion Hw as [|? w ? weights' Hw1 Hw2]; subst. inversion O as [|? ? ? ? O1 O2]; subst.
    inversion Fin as [|? ? Ff Fin']; subst. simpl. constructor.
    + exact (share_sound sum radius off p all t f w Ff Ft Hp O1 S Et' Off Hw1).
    + now apply IH with fs.
Qed.

Lemma softmax_sound logits ls weights : Forall2 contains logits ls ->
  softmax_gives F ls weights -> Forall2 contains (softmax_balls logits) weights.
Proof.
  intros H G. destruct ls as [|l' ls'].
  { inversion H; subst. simpl in G. subst weights. constructor. }
  unfold softmax_gives in G. remember (l' :: ls') as ls. clear Heqls l' ls'.
  destruct G as (top & shifted & powers & total & (Hin & Htop) & Hs & Hp & Ht & Hw).
  assert (Len : length logits = length weights).
  { pose proof (related_length _ _ _ H). pose proof (related_length _ _ _ Hs).
    pose proof (related_length _ _ _ Hp). pose proof (related_length _ _ _ Hw). congruence. }
  unfold softmax_balls. destruct (known logits) as [[|e es]|] eqn:E; try now apply unknown_all.
  destruct (known_all _ _ _ H E) as (A & Fin & _).
  set (t := top_e e es).
  assert (Top : around t (real F top) /\ is_finite top = true).
  { rewrite Forall_forall in Fin, Htop. pose proof (Fin top Hin) as Ft. split; auto.
    destruct ls as [|l ls]; [destruct Hin|]. inversion A; subst.
    apply top_around with (real F l) (map (real F) ls); auto.
    - change (real F l :: map (real F) ls) with (map (real F) (l :: ls)). now apply in_map.
    - change (real F l :: map (real F) ls) with (map (real F) (l :: ls)).
      apply Forall_forall. intros a Ha. apply in_map_iff in Ha. destruct Ha as (f & <- & Hf).
      apply Htop; auto. }
  destruct Top as [Top Ftop].
  assert (P : Forall2 contains (map (fun l => exp_ball (shifted_ball t l)) (e :: es)) powers).
  { clear H Len E Hw Ht Htop Hin. revert shifted powers Hs Hp Fin.
    remember (e :: es) as all. clear Heqall. remember (map (real F) ls) as reals eqn:R.
    revert ls R. induction A as [|f y fs ys Hf _ IH]; intros ls R shifted powers Hs Hp Fin.
    - destruct ls; [|discriminate]. inversion Hs; subst. inversion Hp; subst. constructor.
    - destruct ls as [|l ls]; [discriminate|]. injection R as -> ->.
      inversion Hs as [|? d ? shifted' Hd Hs']; subst. inversion Hp as [|? p ? powers' Hpow Hp']; subst.
      inversion Fin as [|? ? Fl Fin']; subst. simpl map. constructor; [|now apply IH with ls shifted'].
      apply exp_sound with d; auto. unfold shifted_ball.
      pose proof (sized _ _ Hf). pose proof (sized _ _ Top).
      eapply near_sound; [| | | | exact (Hd Fl Ftop)].
      + now apply minus_around.
      + lia.
      + rewrite val_plus. lra.
      + rewrite !val_plus, val_1. lra. }
  destruct (known (map (fun l => exp_ball (shifted_ball t l)) (e :: es))) as [ps|] eqn:K2;
    [|now apply unknown_all].
  destruct (known_all _ _ _ P K2) as (_ & _ & Same). rewrite Same in P.
  now apply shares_sound with powers total.
Qed.

(** ** Layer norm *)

Lemma length_pos {A} (x : A) xs : (0 < Z.of_nat (length (x :: xs)))%Z.
Proof. simpl. lia. Qed.

Lemma mean_around es xs : es <> [] -> Forall2 around es xs -> around (mean_e es) (mean xs).
Proof.
  intros Hne H. unfold mean_e, mean, total. rewrite <- (related_length _ _ _ H), INR_IZR_INZ.
  apply shared_around; auto; [destruct es; [congruence | apply length_pos]|]. now apply sum_around.
Qed.

Lemma mean_square_around es xs : es <> [] -> Forall2 around es xs ->
  around (mean_square_e es) (mean_square xs).
Proof.
  intros Hne H. apply mean_around.
  - destruct es; [congruence | discriminate].
  - clear Hne. induction H; simpl; constructor; auto. now apply times_around.
Qed.

Lemma variance_around es xs : es <> [] -> Forall2 around es xs ->
  around (mean_square_e (map (fun e => minus_e e (mean_e es)) es)) (variance xs).
Proof.
  intros Hne H. pose proof (mean_around es xs Hne H) as M. unfold variance. cbv zeta.
  apply mean_square_around.
  - destruct es; [congruence | discriminate].
  - set (m := mean_e es) in *. set (r := mean xs) in *. clearbody m r. clear Hne.
    induction H; simpl; constructor; auto. now apply minus_around.
Qed.

Lemma mean_square_pos xs : 0 <= mean_square xs.
Proof.
  unfold mean_square, mean, total.
  assert (0 <= fold_right Rplus 0 (map (fun x => x * x) xs)).
  { induction xs as [|x xs IH]; simpl; [lra|]. pose proof (Rle_0_sqr x) as S. unfold Rsqr in S. lra. }
  destruct xs as [|x xs]; [simpl; unfold Rdiv; rewrite Rmult_0_l; lra|].
  apply Rmult_le_pos; auto. apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. simpl. lia.
Qed.

Lemma val_scaled n z : val K (n * z)%Z = IZR n * val K z.
Proof. unfold val. rewrite mult_IZR. ring. Qed.

Lemma mean_square_size es xs : es <> [] -> Forall2 around es xs ->
  0 <= mean_square xs <= val K (size (mean_square_e es)).
Proof.
  intros Hne H. pose proof (mean_square_pos xs) as P. split; auto.
  rewrite <- (Rabs_pos_eq _ P). apply around_size. now apply mean_square_around.
Qed.

Lemma mean_sound es x m : es <> [] -> Forall2 around es (map (real F) x) ->
  Forall (fun a : float F => is_finite a = true) x -> mean_gives F x m -> contains (mean_ball es) m.
Proof.
  intros Hne H Fin Hm. specialize (Hm Fin). cbv zeta in Hm.
  assert (L : Z.of_nat (length x) = Z.of_nat (length es)).
  { rewrite (related_length _ _ _ H), map_length. reflexivity. }
  rewrite L in Hm. unfold mean_ball. cbv zeta. set (n := Z.of_nat (length es)) in *.
  assert (Hn : (0 <= n)%Z) by (unfold n; lia).
  pose proof (root_up_spec K K_pos _ _ (mean_square_size es _ Hne H)) as R.
  pose proof (sqrt_pos (mean_square (map (real F) x))) as S.
  eapply near_sound; [| | | | exact Hm].
  - now apply mean_around.
  - lia.
  - lra.
  - rewrite val_scaled, val_plus, val_1. apply Rmult_le_compat_l; [apply IZR_le; lia | lra].
Qed.

Lemma variance_sound es x s : es <> [] -> Forall2 around es (map (real F) x) ->
  Forall (fun a : float F => is_finite a = true) x -> variance_gives F x s -> contains (variance_ball es) s.
Proof.
  intros Hne H Fin Hs. specialize (Hs Fin). cbv zeta in Hs.
  assert (L : Z.of_nat (length x) = Z.of_nat (length es)).
  { rewrite (related_length _ _ _ H), map_length. reflexivity. }
  rewrite L in Hs. unfold variance_ball. cbv zeta. set (n := Z.of_nat (length es)) in *.
  assert (Hn : (0 <= n)%Z) by (unfold n; lia).
  pose proof (mean_square_size es _ Hne H) as S.
  eapply near_sound; [| | | | exact Hs].
  - now apply variance_around.
  - lia.
  - exact S.
  - rewrite val_scaled, mult_IZR, val_plus, val_1.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; apply IZR_le; lia | lra].
Qed.

Lemma epsilon_around : around epsilon_e epsilon.
Proof.
  unfold Enclosures.around, epsilon_e, epsilon. cbn [fst snd].
  destruct (val_shared K unit 100000 ltac:(lia)) as [A B]. rewrite val_plus in B.
  rewrite (val_plus K (unit / 100000)) in B. rewrite val_1 in A, B. unfold Rdiv in *.
  assert (0 <= val K 1 * / 100000).
  { apply Rmult_le_pos; [apply val_pos; lia | lra]. }
  apply Rabs_le. lra.
Qed.

Lemma root_sound b s r : contains b s -> root_gives F s r -> contains (root_ball b) r.
Proof.
  destruct b as [e|]; [|intros; exact I]. intros Hb Hr. apply contains_around in Hb.
  destruct Hb as [He Fs]. unfold root_ball, applied_ball. cbv zeta.
  destruct (Z.ltb_spec 0 (low (plus_e e epsilon_e))) as [L|]; [|exact I].
  pose proof (plus_around K _ _ _ _ He epsilon_around) as W.
  assert (0 < real F s + epsilon).
  { apply around_ends in W. apply Rlt_le_trans with (2 := proj1 W).
    apply Rmult_lt_0_compat; [now apply IZR_lt | apply unit_positive]. }
  specialize (Hr Fs H). cbv zeta in Hr. pose proof (root_around K K_pos _ _ L W) as R.
  assert (P : 0 <= / sqrt (real F s + epsilon)) by now apply Rlt_le, Rinv_0_lt_compat, sqrt_lt_R0.
  pose proof (sized _ _ R) as S. rewrite (Rabs_pos_eq _ P) in S.
  eapply near_sound; [exact R | lia | exact S | | exact Hr]. rewrite val_plus, val_1. lra.
Qed.

Lemma normed_sound m r g b x fm fr fg fb fx z : contains m fm -> contains r fr -> contains g fg ->
  contains b fb -> contains x fx -> normed_gives F fm fr fg fb fx z ->
  contains (normed_ball m r g b x) z.
Proof.
  destruct m as [m|]; [|intros; exact I]. destruct r as [r|]; [|intros; exact I].
  destruct g as [g|]; [|intros; exact I]. destruct b as [b|]; [|intros; exact I].
  destruct x as [x|]; [|intros; exact I]. intros Hm Hr Hg Hb Hx Hz.
  apply contains_around in Hm, Hr, Hg, Hb, Hx. destruct Hm as [Hm Fm]. destruct Hr as [Hr Fr].
  destruct Hg as [Hg Fg]. destruct Hb as [Hb Fb]. destruct Hx as [Hx Fx].
  specialize (Hz Fm Fr Fg Fb Fx). cbv zeta in Hz. unfold normed_ball. cbv zeta.
  pose proof (sized _ _ Hm). pose proof (sized _ _ Hr) as Sr. pose proof (sized _ _ Hg) as Sg.
  pose proof (sized _ _ Hb). pose proof (sized _ _ Hx).
  assert (Sum : 0 <= Rabs (real F fx) + Rabs (real F fm) <= val K (size x + size m)%Z)
    by (rewrite val_plus; lra).
  pose proof (times_up_is _ _ _ _ Sum Sr) as P1. pose proof (times_up_is _ _ _ _ Sg P1) as P2.
  assert (Sum1 : 0 <= 1 + (Rabs (real F fx) + Rabs (real F fm)) <= val K (unit + (size x + size m))%Z)
    by (rewrite (val_plus K unit), val_1; lra).
  pose proof (times_up_is _ _ _ _ Sum1 (unit_sized _ _ Hr)) as Q1.
  pose proof (times_up_is _ _ _ _ (unit_sized _ _ Hg) Q1) as Q2.
  eapply near_sound; [| | | | exact Hz].
  - apply plus_around; auto. apply times_around; auto. apply times_around; auto.
    now apply minus_around.
  - lia.
  - rewrite val_plus. lra.
  - rewrite val_plus. lra.
Qed.

Lemma norm_sound gain shift x fgain fshift fx y : Forall2 contains gain fgain ->
  Forall2 contains shift fshift -> Forall2 contains x fx -> norm_gives F fgain fshift fx y ->
  Forall2 contains (norm_balls gain shift x) y.
Proof.
  intros Hgain Hshift Hx (m & s & r & Hm & Hs & Hr & Hy). unfold norm_balls.
  set (found := match known x with
    | Some (e :: es) => (mean_ball (e :: es), root_ball (variance_ball (e :: es)))
    | _ => (None, None) end).
  assert (Found : contains (fst found) m /\ contains (snd found) r).
  { unfold found. destruct (known x) as [[|e es]|] eqn:E; try (split; exact I).
    destruct (known_all _ _ _ Hx E) as (A & Fin & _). cbn [fst snd].
    assert (Hne : e :: es <> []) by discriminate. split.
    - now apply mean_sound with fx.
    - apply root_sound with s; auto. now apply variance_sound with fx. }
  destruct found as [bm br]. cbn [fst snd] in Found. destruct Found as [Bm Br].
  clear - Hgain Hshift Hx Hy Bm Br room K_pos. revert shift fshift x fx y Hshift Hx Hy.
  induction Hgain as [|g fg gain fgain Hg _ IH]; intros shift fshift x fx y Hshift Hx Hy.
  - inversion Hy. constructor.
  - destruct Hshift as [|b fb shift fshift Hb Hshift]; [inversion Hy; constructor|].
    destruct Hx as [|a fa x fx Ha Hx]; [inversion Hy; constructor|].
    simpl in Hy. inversion Hy as [|? z ? zs Hz Hzs]; subst. simpl. constructor.
    + now apply normed_sound with m r fg fb fa.
    + now apply IH with fshift fx.
Qed.

End Balls.
