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

(** All balls, if all are known. *)
Fixpoint known (balls : list ball) : option (list (Z * Z)) :=
  match balls with
  | [] => Some []
  | Some e :: balls => match known balls with Some es => Some (e :: es) | None => None end
  | None :: _ => None
  end.

(** ** Softmax *)

Definition top_e (e : Z * Z) (es : list (Z * Z)) : Z * Z :=
  of_ends (fold_right Z.max (low e) (map low es), fold_right Z.max (high e) (map high es)).

Definition shifted_ball (top e : Z * Z) : ball :=
  near_ball 6 (size e + size top) (unit + size e + size top) (minus_e e top).

Definition quotient_ball (total power : ball) : ball :=
  match total, power with
  | Some t, Some p =>
      if 0 <? low t then
        let inverse :=
          of_ends (quotient_down K unit (high t), quotient_down K unit (low t) + 1) in
        near_ball 4 (times_up K (size p) (size inverse))
          (times_up K (unit + size p) (unit + size inverse)) (times_e K p inverse)
      else None
  | _, _ => None
  end.

Definition softmax_balls (logits : list ball) : list ball :=
  match known logits with
  | Some (e :: es) =>
      let powers := map (fun l => exp_ball (shifted_ball (top_e e es) l)) (e :: es) in
      let n := Z.of_nat (length powers) in
      let total := row_ball F K K n [] [] (map (enlarge F n) powers) in
      map (quotient_ball total) powers
  | _ => map (fun _ => None) logits
  end.

(** ** Layer norm *)

Definition mean_e (es : list (Z * Z)) : Z * Z :=
  shared_e (Z.of_nat (length es)) (sum_e es).

Definition mean_square_e (es : list (Z * Z)) : Z * Z :=
  mean_e (map (fun e => times_e K e e) es).

Definition epsilon_e : Z * Z := (unit / 100000, 1).

(** At least the root of a number. *)
Definition root_up (a : Z) : Z := Z.sqrt (a * unit) + 1.

(** The balls of the mean and of 1 / root of the variance. *)
Definition mean_ball (es : list (Z * Z)) : ball :=
  let n := Z.of_nat (length es) in
  let most := root_up (size (mean_square_e es)) in
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

Lemma val_nonneg z : 0 <= val K z -> (0 <= z)%Z.
Proof.
  intros H. apply le_IZR. apply Rmult_le_reg_r with (unit_ K); [apply unit_positive|].
  rewrite Rmult_0_l. exact H.
Qed.

Lemma near_sound n sz sc e size scope exact z : around e exact -> (0 <= n)%Z ->
  0 <= size <= val K sz -> scope <= val K sc -> near F n size scope exact z ->
  contains (near_ball n sz sc e) z.
Proof.
  intros He Hn Hsize Hscope Hz. unfold near_ball.
  destruct (Z.ltb_spec sc (2 ^ (K + 40))) as [L|]; [|exact I].
  destruct (wide F K room) as (_ & Hroom & _).
  assert (S40 : scope < bpow radix2 40).
  { apply Rle_lt_trans with (1 := Hscope). apply IZR_lt in L. rewrite IZR_pow in L by lia.
    apply Rlt_le_trans with (bpow radix2 (K + 40) * unit_ K).
    - apply Rmult_lt_compat_r; [apply unit_positive | exact L].
    - unfold unit_. rewrite <- bpow_plus. apply bpow_le. lia. }
  destruct (Hz S40) as [Fz Ez]. pose proof (radius_pos _ _ He) as Hr.
  assert (Hsz : (0 <= sz)%Z) by (apply val_nonneg; lra).
  assert (Hp : (0 <= precision F)%Z) by (pose proof (has_digits F) as H; unfold Prec_gt_0 in H; lia).
  apply kept_spec; auto.
  { assert (0 <= Z.shiftr (n * sz) (precision F))%Z by (apply Z.shiftr_nonneg; nia). lia. }
  change (IZR (fst e) * unit_ K) with (val K (fst e)).
  change (IZR (snd e + Z.shiftr (n * sz) (precision F) + 2) * unit_ K)
    with (val K (snd e + Z.shiftr (n * sz) (precision F) + 2)%Z).
  replace (snd e + Z.shiftr (n * sz) (precision F) + 2)%Z
    with (snd e + (Z.shiftr (n * sz) (precision F) + 1) + 1)%Z by ring.
  rewrite !(val_plus K (snd e + _)), (val_plus K (snd e)).
  pose proof (shiftr_bounds F (n * sz) (precision F) Hp) as [B _]. rewrite mult_IZR in B.
  set (u := bpow radix2 (- precision F)) in *. assert (U : 0 < u) by apply bpow_gt_0.
  assert (T : bpow radix2 50 * smallest_normal F <= val K 1).
  { unfold val, smallest_normal, unit_. rewrite Rmult_1_l, <- bpow_plus. apply bpow_le. lia. }
  assert (N : IZR n * u * size <= val K (Z.shiftr (n * sz) (precision F) + 1)%Z).
  { apply Rle_trans with (IZR n * u * val K sz).
    - apply IZR_le in Hn. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | lra].
    - unfold val. rewrite plus_IZR. pose proof (unit_positive K).
      replace (IZR n * u * (IZR sz * unit_ K)) with (IZR n * IZR sz * u * unit_ K) by ring.
      apply Rmult_le_compat_r; lra. }
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

Lemma quotient_sound total power t p z : contains total t -> contains power p ->
  quotient_gives F t p z -> contains (quotient_ball total power) z.
Proof.
  destruct total as [et|]; [|intros; exact I]. destruct power as [ep|]; [|intros; exact I].
  intros Ht Hp Hz. apply contains_around in Ht, Hp. destruct Ht as [Ht Ft]. destruct Hp as [Hp Fp].
  specialize (Hz Fp Ft). unfold quotient_ball. destruct (Z.ltb_spec 0 (low et)) as [L|]; [|exact I].
  cbv zeta. set (inverse := of_ends _).
  assert (Hi : around inverse (/ real F t)).
  { apply around_ends in Ht. destruct Ht as [T1 T2].
    assert (0 < val K (low et)).
    { apply Rmult_lt_0_compat; [now apply IZR_lt | apply unit_positive]. }
    apply ends_around.
    replace (/ real F t) with (1 / real F t) by (unfold Rdiv; ring). split.
    - apply (quotient_bounds K K_pos); rewrite ?val_1; lra.
    - apply (quotient_up K K_pos); rewrite ?val_1; lra. }
  eapply near_sound; [| | | | exact Hz].
  - unfold Rdiv. now apply times_around.
  - lia.
  - unfold Rdiv. rewrite Rabs_mult. apply times_up_is; now apply sized.
  - apply times_up_is; now apply unit_sized.
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
  set (pb := map (fun l => exp_ball (shifted_ball t l)) (e :: es)) in *. cbv zeta.
  set (n := Z.of_nat (length pb)).
  assert (Total : contains (row_ball F K K n [] [] (map (enlarge F n) pb)) total).
  { change [] with (map (enlarge F n) []) at 2.
    eapply row_sound; [exact room | exact K_pos | unfold n; lia | constructor | constructor | exact P | | exact Ht].
    simpl. unfold n. pose proof (related_length _ _ _ P). lia. }
  set (tb := row_ball F K K n [] [] (map (enlarge F n) pb)) in *. clearbody tb.
  clear - P Hw Total room K_pos. revert weights Hw.
  induction P as [|b p pb powers Hb _ IH]; intros weights Hw; inversion Hw; subst; simpl; constructor.
  - now apply quotient_sound with total p.
  - now apply IH.
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
  pose proof (root_up_spec _ _ (mean_square_size es _ Hne H)) as R.
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
