(** Vectors of floating point in Euclidean balls, whole numbers as [Enclosures.v] has them.

    A ball has a centre and a radius, in units of 2^-K, for the whole vector. What a matrix makes of
    the radius is bounded by the largest stretch of the matrix, and what a layer norm makes of it by
    its Lipschitz constant ([Euclid.v]); bounds on each number alone grow with the width. *)

From Coq Require Import List ZArith QArith Reals Lra Lia Bool Permutation.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Rounding Floats FloatNetworks FloatFunctions Balls Enclosures.
From Lengthwise Require Import Euclid SmoothBalls.
Import ListNotations.
Local Open Scope Z_scope.

(** * Norms of matrices *)

(** A product of vectors, with as many places as the two together. *)
Fixpoint dot_e (xs ys : list (Z * Z)) : Z * Z :=
  match xs, ys with
  | (c, r) :: xs, (d, s) :: ys =>
      let '(centre, radius) := dot_e xs ys in (centre + c * d, radius + product_radius c r d s)
  | _, _ => (0, 0)
  end.

(** The same number with fewer places. *)
Definition cut_e (places : Z) (e : Z * Z) : Z * Z :=
  (Z.shiftr (fst e) places, Z.shiftr (snd e) places + 2).

(** At least the norm of a vector. *)
Definition norm_up (sizes : list Z) : Z := Z.sqrt (fold_right (fun s sum => s * s + sum) 0 sizes) + 1.

Definition row_up (row : list (Z * Z)) : Z := norm_up (map size row).

Definition gram_e (places : Z) (rows : list (list (Z * Z))) : list (list (Z * Z)) :=
  map (fun x => map (fun y => cut_e places (dot_e y x)) rows) rows.

Fixpoint columns_e (n : nat) (rows : list (list (Z * Z))) : list (list (Z * Z)) :=
  match n with
  | O => []
  | S n => map (fun row => hd (0, 0) row) rows :: columns_e n (map (fun row => tl row) rows)
  end.

(** At least the largest stretch of a symmetric matrix: the root of that of its square, and so on,
    and in the end the root of the sum of all squares. *)
Fixpoint stretch_up (places : Z) (squarings : nat) (rows : list (list (Z * Z))) : Z :=
  match squarings with
  | O => norm_up (map row_up rows)
  | S fewer => root_up places (stretch_up places fewer (gram_e places rows))
  end.

(** The same for a matrix with rows of at most that length, from the products of its rows, or of its
    columns if they are fewer. *)
Definition matrix_stretch (places : Z) (width : nat) (rows : list (list (Z * Z))) : Z :=
  let few := if (length rows <=? width)%nat then rows else columns_e width rows in
  root_up places (stretch_up places 3 (gram_e places few)).

Local Open Scope R_scope.

Lemma val_product_of p q c d : val (p + q) (c * d)%Z = val p c * val q d.
Proof.
  unfold val. rewrite mult_IZR. unfold unit_. replace (- (p + q))%Z with (- p + - q)%Z by ring.
  rewrite bpow_plus. ring.
Qed.

Lemma around_zero places : around places (0, 0)%Z 0.
Proof. unfold around. simpl. rewrite val_0, Rminus_0_r, Rabs_R0. lra. Qed.

Lemma around_exact places c : around places (c, 0%Z) (val places c).
Proof.
  unfold around. cbn [fst snd]. rewrite val_0, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Lemma dot_around p q xs vs : Forall2 (around p) xs vs -> forall ys ws, Forall2 (around q) ys ws ->
  around (p + q) (dot_e xs ys) (dot vs ws).
Proof.
  induction 1 as [|[c r] v xs vs Hx _ IH]; intros ys ws Hy; [apply around_zero|].
  destruct Hy as [|[d s] w ys ws Hw Hy]; [apply around_zero|]. specialize (IH _ _ Hy). simpl.
  destruct (dot_e xs ys) as [centre radius]. unfold around in *. cbn [fst snd] in *.
  assert (Radius : product_radius c r d s = (Z.abs c * s + r * (Z.abs d + s))%Z)
    by (unfold product_radius; destruct r; ring).
  rewrite Radius, !val_plus, !val_product_of, val_plus, <- !val_abs.
  pose proof (Rabs_pos (v - val p c)). pose proof (Rabs_pos (w - val q d)).
  pose proof (Rabs_pos (val p c)). pose proof (Rabs_pos (val q d)). pose proof (Rabs_pos w).
  assert (W : Rabs w <= Rabs (val q d) + val q s).
  { replace w with ((w - val q d) + val q d) by ring. apply Rle_trans with (1 := Rabs_triang _ _). lra. }
  assert (A : Rabs (v * w - val p c * val q d)
    <= Rabs (val p c) * val q s + val p r * (Rabs (val q d) + val q s)).
  { replace (v * w - val p c * val q d) with ((v - val p c) * w + val p c * (w - val q d)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult.
    assert (Rabs (v - val p c) * Rabs w <= val p r * (Rabs (val q d) + val q s))
      by (apply Rmult_le_compat; lra).
    assert (Rabs (val p c) * Rabs (w - val q d) <= Rabs (val p c) * val q s)
      by (apply Rmult_le_compat_l; lra).
    lra. }
  replace (v * w + dot vs ws - (val (p + q) centre + val p c * val q d))
    with ((dot vs ws - val (p + q) centre) + (v * w - val p c * val q d)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Lemma cut_around p n e x : (0 <= n)%Z -> around (p + n) e x -> around p (cut_e n e) x.
Proof.
  intros Hn. destruct e as [c r]. unfold around, cut_e. cbn [fst snd]. intros H.
  assert (E : forall z, val p (Z.shiftr z n) <= val (p + n) z <= val p (Z.shiftr z n + 1)).
  { intros z. pose proof (shiftr_bounds single z n Hn) as B. pose proof (unit_positive p).
    unfold val, unit_. replace (- (p + n))%Z with (- p + - n)%Z by ring. rewrite bpow_plus, plus_IZR.
    replace (IZR z * (bpow radix2 (- p) * bpow radix2 (- n)))
      with (IZR z * bpow radix2 (- n) * bpow radix2 (- p)) by ring.
    split; apply Rmult_le_compat_r; unfold unit_ in *; lra. }
  pose proof (E c) as Ec. pose proof (E r) as Er. rewrite val_plus in Ec, Er.
  replace (Z.shiftr r n + 2)%Z with (Z.shiftr r n + 1 + 1)%Z by ring. rewrite !val_plus.
  replace (x - val p (Z.shiftr c n)) with ((x - val (p + n) c) + (val (p + n) c - val p (Z.shiftr c n)))
    by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (Rabs (val (p + n) c - val p (Z.shiftr c n)) <= val p 1) by (apply Rabs_le; lra). lra.
Qed.

Lemma norm_up_pos sizes : (0 <= norm_up sizes)%Z.
Proof. unfold norm_up. pose proof (Z.sqrt_nonneg (fold_right (fun s sum => s * s + sum) 0 sizes)%Z). lia. Qed.

Lemma norm_up_spec places sizes xs : Forall2 (fun s x => Rabs x <= val places s) sizes xs ->
  norm xs <= val places (norm_up sizes).
Proof.
  intros H. apply norm_most; [apply val_pos, norm_up_pos|]. unfold norm_up.
  set (sum := fold_right (fun s sum => s * s + sum)%Z 0%Z sizes).
  pose proof (unit_positive places) as U.
  assert (S : (0 <= sum)%Z /\ dot xs xs <= IZR sum * (unit_ places * unit_ places)).
  { unfold sum. clear sum. induction H as [|s x sizes xs Hx _ [IH1 IH2]]; simpl; [split; [lia | lra]|].
    split; [nia|]. rewrite plus_IZR, mult_IZR. pose proof (Rabs_pos x).
    replace (x * x) with (Rabs x * Rabs x) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
    assert (Rabs x * Rabs x <= val places s * val places s) by (apply Rmult_le_compat; lra).
    unfold val in *. lra. }
  destruct S as [S1 S2]. apply Rle_trans with (1 := S2). unfold val.
  replace (IZR (Z.sqrt sum + 1) * unit_ places * (IZR (Z.sqrt sum + 1) * unit_ places))
    with (IZR ((Z.sqrt sum + 1) * (Z.sqrt sum + 1)) * (unit_ places * unit_ places))
    by (rewrite mult_IZR; ring).
  apply Rmult_le_compat_r; [nra|]. apply IZR_le. pose proof (Z.sqrt_spec sum S1) as [_ S3]. lia.
Qed.

Section Stretch.

Variable places : Z.
Hypothesis places_pos : (0 <= places)%Z.

Notation rows_around := (Forall2 (Forall2 (around places))).

Lemma row_up_spec es row : Forall2 (around places) es row -> norm row <= val places (row_up es).
Proof.
  intros H. apply norm_up_spec. induction H; simpl; constructor; auto. now apply around_size.
Qed.

Lemma gram_around es rows : rows_around es rows -> rows_around (gram_e places es) (gram rows).
Proof.
  intros H. unfold gram_e, gram, apply.
  assert (G : forall others vs, rows_around others vs ->
    rows_around (map (fun x => map (fun y => cut_e places (dot_e y x)) es) others)
      (map (fun x => map (fun row => dot row x) rows) vs)); [|now apply G].
  induction 1 as [|x v others vs Hx _ IH]; simpl; constructor; auto.
  clear IH. induction H as [|y w es rows Hy _ IH]; simpl; constructor; auto.
  apply cut_around; auto. now apply dot_around.
Qed.

Lemma columns_around n : forall es rows, rows_around es rows ->
  rows_around (columns_e n es) (columns n rows).
Proof.
  induction n as [|n IH]; intros es rows H; simpl; constructor.
  - clear IH. induction H as [|e row es rows He _ IHr]; simpl; constructor; auto.
    destruct He; simpl; auto. apply around_zero.
  - apply IH. clear IH. induction H as [|e row es rows He _ IHr]; simpl; constructor; auto.
    destruct He; simpl; auto.
Qed.

Lemma stretch_up_pos squarings es : (0 <= stretch_up places squarings es)%Z.
Proof.
  destruct squarings; simpl; [apply norm_up_pos|]. unfold root_up.
  match goal with |- (0 <= Z.sqrt ?x + 1)%Z => pose proof (Z.sqrt_nonneg x) end. lia.
Qed.

Lemma root_stretches g rows : (0 <= g)%Z -> stretches rows (val places g) ->
  stretches rows (val places (root_up places g) * val places (root_up places g)).
Proof.
  intros Hg H x. apply Rle_trans with (1 := H x). apply Rmult_le_compat_r; [apply norm_pos|].
  pose proof (val_pos places g Hg) as V. pose proof (sqrt_pos (val places g)) as P.
  pose proof (root_up_spec places places_pos g (val places g) ltac:(lra)) as R.
  rewrite <- (sqrt_sqrt (val places g) V) at 1. apply Rmult_le_compat; lra.
Qed.

Lemma root_up_pos a : 0 <= val places (root_up places a).
Proof. apply val_pos. unfold root_up. pose proof (Z.sqrt_nonneg (a * 2 ^ places)). lia. Qed.

Lemma stretch_up_spec squarings : forall es rows, rows_around es rows ->
  stretches rows (val places (stretch_up places squarings es)).
Proof.
  induction squarings as [|fewer IH]; intros es rows H.
  - intros x. apply Rle_trans with (1 := frobenius rows x).
    apply Rmult_le_compat_r; [apply norm_pos|]. apply norm_up_spec.
    induction H; simpl; constructor; auto. rewrite Rabs_pos_eq by apply norm_pos. now apply row_up_spec.
  - cbn [stretch_up]. apply gram_stretches; [apply root_up_pos|].
    apply root_stretches; [apply stretch_up_pos|]. now apply IH, gram_around.
Qed.

Lemma matrix_stretch_spec width es rows : Forall (fun row => length row <= width)%nat rows ->
  rows_around es rows -> stretches rows (val places (matrix_stretch places width es)).
Proof.
  intros Hw H. unfold matrix_stretch. cbv zeta.
  destruct (length es <=? width)%nat.
  - apply gram_stretches; [apply root_up_pos|]. apply root_stretches; [apply stretch_up_pos|].
    now apply stretch_up_spec, gram_around.
  - apply columns_stretch with width; [exact Hw | apply root_up_pos |].
    apply root_stretches; [apply stretch_up_pos|].
    now apply stretch_up_spec, gram_around, columns_around.
Qed.

End Stretch.

(** * Vectors of floats *)

(** Centres, and the radius of the whole vector if it is known. *)
Definition vector_ball : Type := (list Z * option Z)%type.

(** A row of a matrix with W places, at least its norm, and the number that is added to its product,
    with K places. *)
Definition measured_row : Type := (list (Z * Z) * Z * (Z * Z))%type.

(** A matrix of such rows, and at least its stretch. *)
Definition measured : Type := (list measured_row * Z)%type.

Section Vectors.

Variables (F : format) (K W : Z).

Local Open Scope Z_scope.

Notation unit := (2 ^ K).
Notation prec := (precision F).

Definition unknown {A} (xs : list A) : vector_ball := (map (fun _ => 0) xs, None).

(** The ball of each number. *)
Definition boxes (x : vector_ball) : list ball :=
  map (fun c => match snd x with Some r => Some (c, r) | None => None end) (fst x).

Definition kept_vector (cs : list Z) (r : Z) : vector_ball :=
  (cs, if forallb (fun c => Z.log2 (Z.abs c + r) <? K + 30) cs then Some r else None).

(** A vector whose numbers are within radii of centres, but for what moves with a radius. *)
Definition gathered (es : list (Z * Z)) (moved : Z) : vector_ball :=
  kept_vector (map fst es) (norm_up (map snd es) + moved).

Definition vector_of (x : list ball) : vector_ball :=
  match known x with Some es => gathered es 0 | None => unknown x end.

Definition length_up (cs : list Z) (r : Z) : Z := norm_up (map Z.abs cs) + r.

(** ** Sums *)

Definition row_e (n : Z) (cs : list (Z * Z)) (most : Z) (row : measured_row) : Z * Z :=
  let '(row, reach, b) := row in
  let e := plus_e (cut_e W (dot_e row cs)) b in
  (fst e, snd e + lost F n (times_up K reach most + size b) + 1).

Definition rows_e (m : measured) (cs : list Z) (r : Z) : list (Z * Z) :=
  map (row_e (Z.of_nat (length cs) + 1) (map (fun c => (c, 0)) cs) (length_up cs r)) (fst m).

Definition few (cs : list Z) : bool := few_terms F (Z.of_nat (length cs) + 1).

Definition affine_vector (m : measured) (x : vector_ball) : vector_ball :=
  match snd x with
  | Some r =>
      if few (fst x) then gathered (rows_e m (fst x) r) (times_up K (snd m) r) else unknown (fst m)
  | None => unknown (fst m)
  end.

(** The ball of each number: a row moves it by at most its norm times the radius. *)
Definition affine_numbers (m : measured) (x : vector_ball) : list ball :=
  match snd x with
  | Some r =>
      if few (fst x) then
        map (fun '(e, row) => kept K (fst e) (snd e + times_up K (snd (fst row)) r))
          (combine (rows_e m (fst x) r) (fst m))
      else map (fun _ => None) (fst m)
  | None => map (fun _ => None) (fst m)
  end.

Definition plus_vector (x y : vector_ball) : vector_ball :=
  let pairs := combine (fst x) (fst y) in
  match snd x, snd y with
  | Some r, Some s =>
      if (length (fst x) =? length (fst y))%nat then
        gathered
          (map (fun '(c, d) => (c + d, Z.shiftr (Z.abs (c + d) + r + s) prec + 2)) pairs) (r + s)
      else unknown pairs
  | _, _ => unknown pairs
  end.

Definition rectified_vector (x : vector_ball) : vector_ball := (map (fun c => Z.max c 0) (fst x), snd x).

(** ** Layer norms *)

Definition enough (scope : Z) : bool := scope <? 2 ^ (K + 40).

(** At least what that many roundings of numbers up to a size lose. *)
Definition rounded (n size : Z) : Z := Z.shiftr (n * size) prec + 2.

(** At least a norm divided by the root of a count. *)
Definition shared_root (n r : Z) : Z := Z.sqrt (r * r / n) + 1.

(** A number of a norm, of whose centre [m] is the mean, and [f] 1 over the deviation. The mean that
    comes out is off by [mean_lost] and at most [mean_most], and 1 over the deviation is off by
    [root_lost] and at most [root_most]. *)
Definition normed_row (m f : Z * Z) (r mean_lost mean_most root_lost root_most : Z)
  (row : (Z * Z) * (Z * Z) * Z) : ball :=
  let '((g, b), c) := row in
  let z := minus_e (c, 0) m in
  let e := plus_e (times_e K g (times_e K z f)) b in
  let reach := Z.abs c + r + mean_most in
  if enough (times_up K (unit + size g) (times_up K (unit + reach) (unit + root_most)) + size b) then
    Some
      (fst e,
       snd e
       + times_up K (size g)
           (times_up K mean_lost root_most + times_up K (size z + r) root_lost)
       + rounded 6 (times_up K (size g) (times_up K reach root_most) + size b))
  else None.

Definition normed_vector (gain shift : list (Z * Z)) (x : vector_ball) : vector_ball :=
  let cs := fst x in
  let rows := combine (combine gain shift) cs in
  match snd x with
  | Some r =>
      let n := Z.of_nat (length cs) in
      let es := map (fun c => (c, 0)) cs in
      let m := mean_e es in
      let v := plus_e (mean_square_e K (map (fun e => minus_e e m) es)) (epsilon_e K) in
      let least := Z.sqrt (low v * unit) - shared_root n r in
      let most := shared_root n (length_up cs r) in
      let square := times_up K most most in
      let mean_lost := rounded (n + 24) most in
      let variance_lost := rounded (3 * n + 80) square in
      let safe := least - (quotient_down K variance_lost least + 1) in
      let inverse := quotient_down K unit safe + 1 in
      let root_lost := rounded 8 inverse in
      let cube := times_up K inverse (times_up K inverse inverse) in
      let root_moved := Z.shiftr (times_up K cube variance_lost) 1 + 1 + root_lost in
      if (0 <? n) && (length gain =? length cs)%nat && (length shift =? length cs)%nat
         && (0 <? low v) && (0 <? least) && (0 <? safe)
         && enough ((n + 1) * (unit + most)) && enough ((n + 1) * (n + 1) * (unit + square))
         && enough (unit + inverse)
      then
        match
          known
            (map
               (normed_row m (root_e K v) r mean_lost (most + mean_lost) root_moved
                  (inverse + root_lost))
               rows)
        with
        | Some es =>
            gathered es (times_up K (times_up K (fold_right Z.max 0 (map size gain)) inverse) r)
        | None => unknown rows
        end
      else unknown rows
  | None => unknown rows
  end.

(** * They are right *)

Local Open Scope R_scope.

Hypothesis room : has_room F K = true.
Hypothesis W_pos : (0 <= W)%Z.

Let K_pos : (0 <= K)%Z.
Proof. apply (Balls.wide F K room). Qed.

Notation contains := (contains F K).
Notation around := (around K).
Notation moderate := (moderate F).
Notation reals := (map (real F)).
Notation vals := (map (val K)).

Definition inside (x : vector_ball) (fx : list (float F)) : Prop :=
  Forall2 contains (boxes x) fx
  /\ match snd x with Some r => norm (minus (reals fx) (vals (fst x))) <= val K r | None => True end.

Lemma unknown_inside {A} (xs : list A) fx : length xs = length fx -> inside (unknown xs) fx.
Proof.
  intros H. split; [|exact I]. unfold boxes, unknown. cbn [fst snd]. rewrite map_map.
  now apply unknown_all.
Qed.

Lemma norm_same xs ys : (forall z, dot z xs = dot z ys) -> norm xs = norm ys.
Proof. intros H. unfold norm. f_equal. rewrite H, (dot_comm xs). apply H. Qed.

Lemma minus_entries xs : forall ys, length xs = length ys ->
  Forall2 (fun y x => Rabs (x - y) <= norm (minus xs ys)) ys xs.
Proof.
  assert (G : forall ys t, length xs = length ys -> (forall d, In d (minus xs ys) -> Rabs d <= t) ->
    Forall2 (fun y x => Rabs (x - y) <= t) ys xs).
  { induction xs as [|x xs' IH]; intros [|y ys] t E H; try discriminate; constructor.
    - apply H. left. unfold minus. simpl. ring.
    - apply IH; [simpl in E; lia|]. intros d Hd. apply H. right. exact Hd. }
  intros ys E. apply G; auto. intros d. apply norm_entry.
Qed.

Lemma kept_inside cs r zs : length cs = length zs -> (0 <= r)%Z ->
  Forall (fun z : float F => is_finite z = true) zs ->
  norm (minus (reals zs) (vals cs)) <= val K r -> inside (kept_vector cs r) zs.
Proof.
  intros E Hr Fin H. unfold kept_vector.
  destruct (forallb _ cs) eqn:L.
  2: { split; [|exact I]. unfold boxes. cbn [fst snd]. now apply unknown_all. }
  split; [|exact H]. unfold boxes. cbn [fst snd].
  pose proof (minus_entries (reals zs) (vals cs)) as M. rewrite !map_length in M.
  specialize (M (eq_sym E)). rewrite forallb_forall in L. rewrite Forall_forall in Fin.
  assert (G : forall cs' zs', incl cs' cs -> incl zs' zs ->
    Forall2 (fun y x => Rabs (x - y) <= norm (minus (reals zs) (vals cs))) (vals cs') (reals zs') ->
    Forall2 contains (map (fun c => Some (c, r)) cs') zs').
  { induction cs' as [|c cs' IH]; intros [|z zs'] Ic Iz A; inversion A; subst; simpl; constructor.
    - assert (B : contains (kept K c r) z).
      { apply kept_spec; auto; [apply Fin, Iz; now left|].
        change (Rabs (real F z - val K c) <= val K r). lra. }
      unfold kept in B. rewrite (L c) in B by (apply Ic; now left). exact B.
    - apply IH; auto; intros a Ha; [apply Ic | apply Iz]; now right. }
  now apply G; [apply incl_refl | apply incl_refl |].
Qed.

Lemma minus_centres es ts : Forall2 around es ts ->
  Forall2 (fun s x => Rabs x <= val K s) (map snd es) (minus ts (vals (map fst es))).
Proof.
  unfold minus, scale. induction 1 as [|e t es ts H _ IH]; simpl; constructor; auto.
  replace (t + -1 * val K (fst e)) with (t - val K (fst e)) by ring. exact H.
Qed.

(** The numbers [zs] without what moves them, [ds], are near centres. *)
Lemma gathered_inside es zs ds moved :
  Forall (fun z : float F => is_finite z = true) zs -> length es = length zs ->
  Forall2 around es (minus (reals zs) ds) -> norm ds <= val K moved ->
  inside (gathered es moved) zs.
Proof.
  intros Fin E H Hd. assert (P : 0 <= val K moved) by (pose proof (norm_pos ds); lra).
  unfold gathered. apply kept_inside; auto.
  - now rewrite map_length.
  - apply (val_nonneg K) in P. pose proof (norm_up_pos (map snd es)). lia.
  - rewrite val_plus.
    apply Rle_trans with (norm (plus (minus (minus (reals zs) ds) (vals (map fst es))) ds)).
    + right. apply norm_same. intros z. rewrite dot_plus, !dot_minus. ring.
    + apply Rle_trans with (1 := triangle _ _). apply Rplus_le_compat; auto.
      now apply norm_up_spec, minus_centres.
Qed.

Lemma minus_nil xs : minus xs [] = xs.
Proof. unfold minus. simpl. now destruct xs. Qed.

Lemma vector_of_inside x fx : Forall2 contains x fx -> inside (vector_of x) fx.
Proof.
  intros H. unfold vector_of. destruct (known x) as [es|] eqn:E.
  - destruct (known_all F K x es fx H E) as (A & Fin & _).
    apply gathered_inside with []; auto.
    + rewrite (related_length _ _ _ A). apply map_length.
    + now rewrite minus_nil.
    + unfold norm. simpl. rewrite sqrt_0, val_0. lra.
  - apply unknown_inside. apply (related_length _ _ _ H).
Qed.

Lemma inside_length x fx : inside x fx -> length (fst x) = length fx.
Proof. intros [H _]. rewrite <- (related_length _ _ _ H). unfold boxes. now rewrite map_length. Qed.

(** What is known of a vector of known radius. *)
Lemma inside_known cs r fx : inside (cs, Some r) fx ->
  Forall moderate fx /\ norm (minus (reals fx) (vals cs)) <= val K r
  /\ norm (reals fx) <= val K (length_up cs r) /\ length cs = length fx.
Proof.
  intros H. pose proof (inside_length _ _ H) as L. destruct H as [H D]. cbn [fst snd] in *.
  repeat split; auto.
  - unfold boxes in H. cbn [fst snd] in H. clear D L. revert fx H.
    induction cs as [|c cs IH]; intros [|f fx] H; inversion H; subst; constructor; auto.
    now apply contained_moderate with K (c, r).
  - unfold length_up. rewrite val_plus. apply Rle_trans with (1 := norm_less _ (vals cs)).
    apply Rplus_le_compat; auto. apply norm_up_spec. clear.
    induction cs; simpl; constructor; auto. rewrite val_abs. lra.
Qed.

(** ** Sums *)

Definition holds (r : measured_row) (fw hs : list (float F)) : Prop :=
  let '(row, reach, b) := r in
  Forall2 (Enclosures.around W) row (reals fw) /\ Forall moderate fw
  /\ norm (reals fw) <= val K reach
  /\ Forall moderate hs /\ (length hs <= 1)%nat /\ around b (total (reals hs))
  /\ total (map Rabs (reals hs)) <= val K (size b).

Lemma norm_abs xs : norm (map Rabs xs) = norm xs.
Proof.
  unfold norm. f_equal. induction xs as [|x xs IH]; simpl; [reflexivity|].
  rewrite IH, <- Rabs_mult, Rabs_pos_eq by nra. reflexivity.
Qed.

Lemma products_are fw : forall fx,
  Rounding.value F (products F fw fx) = dot (reals fw) (reals fx)
  /\ Rounding.size F (products F fw fx) = dot (map Rabs (reals fw)) (map Rabs (reals fx)).
Proof.
  unfold Rounding.value, Rounding.size. induction fw as [|a fw IH]; intros [|b fx]; try (split; reflexivity).
  destruct (IH fx) as [A B]. unfold products in *. simpl. rewrite A, B, Rabs_mult. split; reflexivity.
Qed.

Lemma row_inside n cs r fx row fw hs z : inside (cs, Some r) fx -> holds row fw hs ->
  few_terms F n = true -> n = (Z.of_nat (length cs) + 1)%Z -> row_gives F fw fx hs z ->
  is_finite z = true
  /\ around (row_e n (map (fun c => (c, 0%Z)) cs) (length_up cs r) row)
       (real F z - dot (reals fw) (minus (reals fx) (vals cs))).
Proof.
  intros Hx Hr Few En Hz. destruct (inside_known _ _ _ Hx) as (Mx & D & Nx & Len).
  destruct row as [[row reach] b]. destruct Hr as (Hrow & Mw & Hreach & Mh & Lh & Hb & Sb).
  set (terms := products F fw fx ++ map Number hs).
  assert (T : Forall (Rounding.finite F) terms
    /\ Rounding.size F terms <= INR (length terms) * bpow radix2 60
    /\ Rounding.costs F terms <= INR (length terms) * (bpow radix2 32 * smallest_normal F)).
  { apply moderate_terms. apply Forall_app. split.
    - clear - Mw Mx. unfold products. revert fx Mx. induction Mw as [|a fw Ha _ IH]; intros fx Mx; [constructor|].
      destruct Mx as [|c fx Hc Mx]; simpl; constructor; auto.
    - clear - Mh. induction Mh; simpl; constructor; auto. }
  destruct T as (Fin & S & C).
  destruct (sum_near F K room n terms terms z) as [Fz Ez]; auto.
  { lia. }
  { unfold terms, products. rewrite app_length, !map_length, combine_length. lia. }
  split; auto. unfold row_e. set (e := plus_e (cut_e W (dot_e row (map (fun c => (c, 0%Z)) cs))) b).
  destruct (products_are fw fx) as [V1 S1]. destruct (numbers_are F hs) as [V2 S2].
  assert (V : Rounding.value F terms = dot (reals fw) (reals fx) + total (reals hs)).
  { unfold terms, Rounding.value in *. rewrite total_app. lra. }
  assert (Z : Rounding.size F terms <= val K (times_up K reach (length_up cs r) + size b)).
  { unfold terms, Rounding.size in *. rewrite total_app, S1, S2, val_plus. apply Rplus_le_compat; auto.
    pose proof (cauchy (map Rabs (reals fw)) (map Rabs (reals fx))) as Q. rewrite !norm_abs in Q.
    apply Rle_trans with (1 := Rle_abs _), Rle_trans with (1 := Q).
    apply times_up_spec; auto; split; auto; apply norm_pos. }
  set (most := (times_up K reach (length_up cs r) + size b)%Z) in *.
  assert (E : around e (dot (reals fw) (vals cs) + total (reals hs))).
  { apply plus_around; auto. apply cut_around; auto. rewrite (Z.add_comm K W).
    apply dot_around; auto. clear.
    induction cs; simpl; constructor; auto. apply around_exact. }
  assert (P : (0 <= most)%Z) by (apply (val_nonneg K); pose proof (size_pos F terms); lra).
  assert (Lost : share_lost F n * Rounding.size F terms <= val K (lost F n most)).
  { pose proof (lost_spec F n most ltac:(lia) P) as L. pose proof (share_lost_pos F n ltac:(lia)).
    apply Rle_trans with (share_lost F n * val K most); [apply Rmult_le_compat_l; auto|].
    unfold val. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply Rlt_le, unit_positive | exact L]. }
  unfold Enclosures.around in *. cbn [fst snd]. rewrite !val_plus.
  assert (U : unit_ K = val K 1) by (unfold val; ring). rewrite U in Ez. rewrite dot_minus.
  replace (real F z - (dot (reals fw) (reals fx) - dot (reals fw) (vals cs)) - val K (fst e))
    with ((real F z - Rounding.value F terms)
          + (dot (reals fw) (vals cs) + total (reals hs) - val K (fst e))) by (rewrite V; ring).
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Notation gives fx := (fun '(fw, hs) z => row_gives F fw fx hs z).

(** A matrix of floats that is measured, with the number that each row adds. *)
Definition measures (m : measured) (rows : list (list (float F) * list (float F))) : Prop :=
  Forall2 (fun r '(fw, hs) => holds r fw hs) (fst m) rows /\ (0 <= snd m)%Z
  /\ stretches (map (fun row => reals (fst row)) rows) (val K (snd m)).

Lemma rows_inside m cs r fx rows zs : inside (cs, Some r) fx ->
  Forall2 (fun r '(fw, hs) => holds r fw hs) m rows -> few cs = true -> Forall2 (gives fx) rows zs ->
  Forall (fun z : float F => is_finite z = true) zs
  /\ Forall2 around
       (map (row_e (Z.of_nat (length cs) + 1) (map (fun c => (c, 0%Z)) cs) (length_up cs r)) m)
       (minus (reals zs)
          (apply (map (fun row => reals (fst row)) rows) (minus (reals fx) (vals cs)))).
Proof.
  intros Hx H Few. revert zs. induction H as [|row [fw hs] m rows Hr _ IH]; intros zs Hz;
    inversion Hz as [|? z ? zs' Hz1 Hz2]; subst; [split; constructor|].
  destruct (IH zs' Hz2) as [Fin A].
  destruct (row_inside _ cs r fx row fw hs z Hx Hr Few eq_refl Hz1) as [Fz E].
  split; constructor; auto.
  match goal with |- around _ ?x =>
    replace x with (real F z - dot (reals fw) (minus (reals fx) (vals cs))) by (simpl; ring) end.
  exact E.
Qed.

Lemma affine_inside m rows x fx zs : measures m rows -> inside x fx -> Forall2 (gives fx) rows zs ->
  inside (affine_vector m x) zs.
Proof.
  intros (Hm & Hs & St) Hx Hz.
  assert (L : length (fst m) = length zs)
    by (rewrite (related_length _ _ _ Hm); apply (related_length _ _ _ Hz)).
  destruct x as [cs [r|]]; unfold affine_vector; cbn [fst snd]; [|now apply unknown_inside].
  destruct (few cs) eqn:Few; [|now apply unknown_inside].
  destruct (rows_inside _ _ _ _ _ _ Hx Hm Few Hz) as [Fin A].
  destruct (inside_known _ _ _ Hx) as (_ & D & _ & _).
  eapply gathered_inside; [exact Fin | | exact A |].
  - unfold rows_e. now rewrite map_length.
  - apply Rle_trans with (1 := St _). apply times_up_spec; auto.
    + split; [apply val_pos; exact Hs | lra].
    + split; [apply norm_pos | exact D].
Qed.

Lemma numbers_in m rows x fx zs : measures m rows -> inside x fx -> Forall2 (gives fx) rows zs ->
  Forall2 contains (affine_numbers m x) zs.
Proof.
  intros (Hm & Hs & _) Hx Hz.
  assert (L : length (fst m) = length zs)
    by (rewrite (related_length _ _ _ Hm); apply (related_length _ _ _ Hz)).
  destruct x as [cs [r|]]; unfold affine_numbers; cbn [fst snd]; [|now apply unknown_all].
  destruct (few cs) eqn:Few; [|now apply unknown_all].
  destruct (inside_known _ _ _ Hx) as (_ & D & _ & _). unfold rows_e. clear Hs L. destruct m as [m t].
  cbn [fst snd] in *. revert zs Hz.
  induction Hm as [|row [fw hs] m rows Hr _ IH]; intros zs Hz;
    inversion Hz as [|? z ? zs' Hz1 Hz2]; subst; simpl; constructor; auto.
  destruct (row_inside _ cs r fx row fw hs z Hx Hr Few eq_refl Hz1) as [Fz E].
  destruct row as [[row reach] b]. destruct Hr as (_ & _ & Hreach & _).
  set (e := row_e _ _ _ _) in *. cbn [fst snd]. unfold Enclosures.around in E.
  pose proof (cauchy (reals fw) (minus (reals fx) (vals cs))) as C.
  pose proof (norm_pos (reals fw)) as P1. pose proof (norm_pos (minus (reals fx) (vals cs))) as P2.
  pose proof (times_up_spec K K_pos reach r _ _ (conj P1 Hreach) (conj P2 D)) as T.
  pose proof (Rabs_pos (real F z - dot (reals fw) (minus (reals fx) (vals cs)) - val K (fst e))).
  apply kept_spec; auto.
  - apply (val_nonneg K). rewrite val_plus. lra.
  - change (Rabs (real F z - val K (fst e)) <= val K (snd e + times_up K reach r)).
    rewrite val_plus.
    replace (real F z - val K (fst e)) with
      ((real F z - dot (reals fw) (minus (reals fx) (vals cs)) - val K (fst e))
       + dot (reals fw) (minus (reals fx) (vals cs))) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Lemma rectified_inside x fx : inside x fx -> inside (rectified_vector x) (map (rectified F) fx).
Proof.
  intros [H D]. split.
  - unfold boxes, rectified_vector in *. cbn [fst snd]. rewrite map_map. clear D.
    destruct x as [cs r]. cbn [fst snd] in *. revert fx H.
    induction cs as [|c cs IH]; intros fx H; inversion H as [|? f ? fx' Hf Hfx]; subst; simpl;
      constructor; auto.
    destruct r as [r|]; [|exact I]. exact (rectified_sound F K (Some (c, r)) f Hf).
  - unfold rectified_vector. cbn [fst snd]. destruct x as [cs [r|]]; [|exact I]. cbn [fst snd] in *.
    apply Rle_trans with (2 := D). rewrite <- (norm_abs (minus (reals fx) (vals cs))).
    apply norm_mono. clear D. unfold boxes in H. cbn [fst snd] in H. revert fx H.
    unfold minus, scale.
    induction cs as [|c cs IH]; intros fx H; inversion H as [|? f ? fx' Hf Hfx]; subst; simpl;
      constructor; auto.
    destruct (contains_around F K _ _ Hf) as [_ Ff]. destruct (rectified_is F f Ff) as [_ ->].
    assert (Z0 : val K (Z.max c 0) = Rmax (val K c) 0).
    { destruct (Z.le_ge_cases c 0) as [L|L].
      - rewrite Z.max_r, val_0 by assumption. apply (val_mono K) in L. rewrite val_0 in L.
        now rewrite Rmax_right.
      - rewrite Z.max_l by assumption. apply (val_mono K) in L. rewrite val_0 in L.
        now rewrite Rmax_left. }
    rewrite Z0. unfold Rmax. destruct (Rle_dec (real F f) 0), (Rle_dec (val K c) 0);
      unfold Rabs; repeat destruct (Rcase_abs _); lra.
Qed.

Lemma plus_inside x y fx fy z : inside x fx -> inside y fy -> added F fx fy z ->
  inside (plus_vector x y) z.
Proof.
  intros Hx Hy Hz. pose proof (inside_length _ _ Hx) as Lx. pose proof (inside_length _ _ Hy) as Ly.
  assert (L : length (combine (fst x) (fst y)) = length z).
  { rewrite <- (related_length _ _ _ Hz), !combine_length. lia. }
  destruct x as [cs [r|]], y as [ds [s|]]; unfold plus_vector; cbn [fst snd] in *;
    try now apply unknown_inside.
  destruct (Nat.eqb_spec (length cs) (length ds)) as [E|]; [|now apply unknown_inside].
  destruct (inside_known _ _ _ Hx) as (Mx & Dx & _ & _).
  destruct (inside_known _ _ _ Hy) as (My & Dy & _ & _).
  pose proof (minus_entries (reals fx) (vals cs)) as Ex. rewrite !map_length in Ex.
  specialize (Ex (eq_sym Lx)).
  pose proof (minus_entries (reals fy) (vals ds)) as Ey. rewrite !map_length in Ey.
  specialize (Ey (eq_sym Ly)).
  set (dx := norm (minus (reals fx) (vals cs))) in *. set (dy := norm (minus (reals fy) (vals ds))) in *.
  assert (A : Forall (fun z : float F => is_finite z = true) z
    /\ Forall2 around
         (map (fun '(c, d) => (c + d, Z.shiftr (Z.abs (c + d) + r + s) (precision F) + 2)%Z)
            (combine cs ds))
         (minus (reals z) (plus (minus (reals fx) (vals cs)) (minus (reals fy) (vals ds))))).
  { clear Hx Hy L Lx Ly. clearbody dx dy. unfold minus, scale.
    revert ds fx fy z E Mx My Ex Ey Hz.
    induction cs as [|c cs IH]; intros [|d ds] fx fy z E Mx My Ex Ey Hz; try discriminate;
      inversion Ex as [|? f ? fx' Hf Hfx E1 E2]; subst; inversion Ey as [|? g ? fy' Hg Hfy E3 E4]; subst.
    - destruct fx, fy; try discriminate. inversion Hz. split; constructor.
    - destruct fx as [|a fx], fy as [|b fy]; try discriminate. injection E2 as -> ->.
      injection E4 as -> ->. inversion Mx as [|? ? [Fa Ba] Mx']; subst.
      inversion My as [|? ? [Fb Bb] My']; subst. inversion Hz as [|? w ? z' Hw Hz']; subst.
      destruct (IH ds fx fy z' ltac:(simpl in E; lia) Mx' My' Hfx Hfy Hz') as [Fin A].
      destruct (plus_near F K room a b w Fa Fb Ba Bb Hw) as [Fw Ew]. simpl.
      split; constructor; auto. unfold Enclosures.around. cbn [fst snd]. rewrite val_plus.
      replace (real F w + -1 * (real F a + -1 * val K c + (real F b + -1 * val K d))
               - (val K c + val K d)) with (real F w - (real F a + real F b)) by ring.
      apply Rle_trans with (1 := Ew).
      set (size := (Z.abs (c + d) + r + s)%Z).
      assert (Sz : Rabs (real F a + real F b) <= val K size).
      { unfold size. rewrite !val_plus, <- val_abs, val_plus.
        replace (real F a + real F b) with
          ((val K c + val K d) + ((real F a - val K c) + (real F b - val K d))) by ring.
        apply Rle_trans with (1 := Rabs_triang _ _).
        pose proof (Rabs_triang (real F a - val K c) (real F b - val K d)). lra. }
      assert (Hp : (0 <= precision F)%Z)
        by (pose proof (has_digits F) as Hd; unfold Prec_gt_0 in Hd; lia).
      pose proof (shiftr_bounds F size (precision F) Hp) as B.
      assert (U : unit_ K = val K 1) by (unfold val; ring). rewrite U.
      replace (Z.shiftr size (precision F) + 2)%Z with (Z.shiftr size (precision F) + 1 + 1)%Z by ring.
      rewrite (val_plus K (_ + 1)). apply Rplus_le_compat_r.
      apply Rle_trans with (unit_roundoff F * val K size).
      + apply Rmult_le_compat_l; [apply Rlt_le, bpow_gt_0 | exact Sz].
      + unfold unit_roundoff, val. rewrite plus_IZR. pose proof (unit_positive K).
        replace (bpow radix2 (- precision F) * (IZR size * unit_ K))
          with (IZR size * bpow radix2 (- precision F) * unit_ K) by ring.
        apply Rmult_le_compat_r; lra. }
  destruct A as [Fin A]. eapply gathered_inside; [exact Fin | now rewrite map_length | exact A |].
  apply Rle_trans with (1 := triangle _ _). fold dx dy. rewrite val_plus. lra.
Qed.

(** ** Layer norms *)

Lemma shared_root_spec n r x : (0 < n)%Z -> 0 <= x <= val K r ->
  x / sqrt (IZR n) <= val K (shared_root n r).
Proof.
  intros Hn [X0 X]. unfold shared_root. set (q := (r * r / n)%Z).
  assert (Hr : (0 <= r)%Z) by (apply (val_nonneg K); lra).
  assert (Hq : (0 <= q)%Z) by (apply Z.div_pos; nia).
  pose proof (Z.sqrt_spec q Hq) as [_ S]. pose proof (Z.sqrt_nonneg q) as S0.
  pose proof (Z.mul_succ_div_gt (r * r) n Hn) as D. fold q in D.
  assert (N : 0 < IZR n) by now apply IZR_lt. pose proof (sqrt_lt_R0 _ N) as R.
  apply Rmult_le_reg_r with (sqrt (IZR n)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (1 := X). pose proof (unit_positive K) as U.
  assert (V : 0 <= val K (Z.sqrt q + 1)) by (apply val_pos; lia).
  rewrite <- (sqrt_square (val K r)) by lra. rewrite <- (sqrt_square (val K (Z.sqrt q + 1))) by exact V.
  rewrite <- sqrt_mult_alt by nra. apply sqrt_le_1_alt. unfold val.
  replace (IZR r * unit_ K * (IZR r * unit_ K)) with (IZR (r * r) * (unit_ K * unit_ K))
    by (rewrite mult_IZR; ring).
  replace (IZR (Z.sqrt q + 1) * unit_ K * (IZR (Z.sqrt q + 1) * unit_ K) * IZR n)
    with (IZR ((Z.sqrt q + 1) * (Z.sqrt q + 1) * n) * (unit_ K * unit_ K)) by (rewrite !mult_IZR; ring).
  apply Rmult_le_compat_r; [nra|]. apply IZR_le. nia.
Qed.

Lemma root_down_spec a : (0 <= a)%Z -> val K (Z.sqrt (a * 2 ^ K)) <= sqrt (val K a).
Proof.
  intros Ha. set (q := (a * 2 ^ K)%Z).
  assert (Hq : (0 <= q)%Z) by (apply Z.mul_nonneg_nonneg; [|apply Z.pow_nonneg]; lia).
  pose proof (Z.sqrt_spec q Hq) as [S _]. pose proof (Z.sqrt_nonneg q) as S0.
  rewrite <- (sqrt_square (val K (Z.sqrt q))) by (now apply val_pos). apply sqrt_le_1_alt.
  assert (E : val K a = IZR q * (unit_ K * unit_ K)).
  { unfold val, q. rewrite mult_IZR, IZR_pow by assumption. pose proof (unit_inverse K) as I.
    replace (IZR a * bpow radix2 K * (unit_ K * unit_ K))
      with (IZR a * unit_ K * (bpow radix2 K * unit_ K)) by ring.
    rewrite I. ring. }
  rewrite E. unfold val. replace (IZR (Z.sqrt q) * unit_ K * (IZR (Z.sqrt q) * unit_ K))
    with (IZR (Z.sqrt q * Z.sqrt q) * (unit_ K * unit_ K)) by (rewrite mult_IZR; ring).
  apply Rmult_le_compat_r; [pose proof (unit_positive K); nra|]. now apply IZR_le.
Qed.

Lemma enough_spec scope : enough scope = true -> (scope < 2 ^ (K + 40))%Z.
Proof. apply Z.ltb_lt. Qed.

(** 1 over two deviations that are at least t. *)
Lemma inverses_near a b t d : 0 < t -> t <= a -> t <= b -> Rabs (a * a - b * b) <= d ->
  Rabs (/ a - / b) <= / t * (/ t * / t) * d / 2.
Proof.
  intros Ht Ha Hb H. assert (P : 0 < / t) by now apply Rinv_0_lt_compat.
  assert (E : / a - / b = - (a * a - b * b) * (/ a * / b * / (a + b))) by (field; lra).
  rewrite E, Rabs_mult, Rabs_Ropp.
  assert (A : 0 < / a <= / t) by (split; [apply Rinv_0_lt_compat | apply Rinv_le_contravar]; lra).
  assert (B : 0 < / b <= / t) by (split; [apply Rinv_0_lt_compat | apply Rinv_le_contravar]; lra).
  assert (C : 0 < / (a + b) <= / t / 2).
  { split; [apply Rinv_0_lt_compat; lra|]. replace (/ t / 2) with (/ (t + t)) by (field; lra).
    apply Rinv_le_contravar; lra. }
  assert (AB : 0 < / a * / b <= / t * / t) by (split; [nra | apply Rmult_le_compat; lra]).
  assert (ABC : 0 < / a * / b * / (a + b) <= / t * / t * (/ t / 2))
    by (split; [nra | apply Rmult_le_compat; lra]).
  rewrite (Rabs_pos_eq (_ * _)) by lra. pose proof (Rabs_pos (a * a - b * b)).
  apply Rle_trans with (d * (/ t * / t * (/ t / 2))); [apply Rmult_le_compat; lra|]. right. field. lra.
Qed.

Section Row.

(** The mean and 1 over the deviation, of the exact vector and of the centre, and what comes out. *)
Variables (mean_x inverse_x mean_c inverse_c : R) (fm fr : float F).
Variables (m f : Z * Z) (r mean_lost mean_most root_lost root_most : Z).
Hypothesis fm_finite : is_finite fm = true.
Hypothesis fr_finite : is_finite fr = true.
Hypothesis m_around : around m mean_c.
Hypothesis f_around : around f inverse_c.
Hypothesis mean_near : Rabs (real F fm - mean_x) <= val K mean_lost.
Hypothesis mean_size : Rabs (real F fm) <= val K mean_most.
Hypothesis root_near : Rabs (real F fr - inverse_x) <= val K root_lost.
Hypothesis root_size : Rabs (real F fr) <= val K root_most.

Lemma normed_row_in g b c e fg fb fx z : contains (Some g) fg -> contains (Some b) fb ->
  is_finite fx = true -> Rabs (real F fx - val K c) <= val K r ->
  Rabs ((real F fx - mean_x) - (val K c - mean_c)) <= val K r ->
  normed_row m f r mean_lost mean_most root_lost root_most ((g, b), c) = Some e ->
  normed_gives F fm fr fg fb fx z ->
  is_finite z = true
  /\ around e
       (real F z - real F fg * (inverse_x * (real F fx - mean_x) - inverse_c * (val K c - mean_c))).
Proof.
  intros Hg Hb Fx Hx Hz He Gz. apply contains_around in Hg, Hb. destruct Hg as [Hg Fg].
  destruct Hb as [Hb Fb]. specialize (Gz fm_finite fr_finite Fg Fb Fx). cbv zeta in Gz.
  unfold normed_row in He. cbv zeta in He.
  set (zc := minus_e (c, 0%Z) m) in *. set (reach := (Z.abs c + r + mean_most)%Z) in *.
  destruct (enough _) eqn:Sc in He; [|discriminate].
  apply (f_equal (fun o => match o with Some e => e | None => e end)) in He. cbn beta iota in He.
  rewrite <- He. clear He e.
  assert (P : forall x y, Rabs x <= val K y -> 0 <= Rabs x <= val K y).
  { intros x y H. pose proof (Rabs_pos x). lra. }
  assert (Reach : 0 <= Rabs (real F fx) + Rabs (real F fm) <= val K reach).
  { pose proof (Rabs_pos (real F fx)). pose proof (Rabs_pos (real F fm)). split; [lra|].
    unfold reach. rewrite !val_plus, <- val_abs.
    replace (real F fx) with ((real F fx - val K c) + val K c) by ring.
    pose proof (Rabs_triang (real F fx - val K c) (val K c)). lra. }
  assert (Gs : 0 <= Rabs (real F fg) <= val K (size g)) by (apply P; now apply around_size).
  assert (Bs : 0 <= Rabs (real F fb) <= val K (size b)) by (apply P; now apply around_size).
  assert (Rs := P _ _ root_size).
  pose proof (times_up_spec K K_pos _ _ _ _ Reach Rs) as T1.
  pose proof (times_up_spec K K_pos _ _ _ _ Gs T1) as T2.
  assert (U : val K (2 ^ K) = 1) by (apply (val_unit K K_pos)).
  assert (one_plus : forall x y, 0 <= x <= val K y -> 0 <= 1 + x <= val K (2 ^ K + y)).
  { intros x y H. rewrite val_plus, U. lra. }
  pose proof (times_up_spec K K_pos _ _ _ _ (one_plus _ _ Reach) (one_plus _ _ Rs)) as S1.
  pose proof (times_up_spec K K_pos _ _ _ _ (one_plus _ _ Gs) S1) as S2.
  set (sum := (times_up K (size g) (times_up K reach root_most) + size b)%Z).
  assert (Sum : 0 <= Rabs (real F fg) * ((Rabs (real F fx) + Rabs (real F fm)) * Rabs (real F fr))
      + Rabs (real F fb) <= val K sum) by (unfold sum; rewrite val_plus; lra).
  match type of Sc with enough ?sc = true =>
    assert (Scope : (1 + Rabs (real F fg)) * ((1 + (Rabs (real F fx) + Rabs (real F fm)))
      * (1 + Rabs (real F fr))) + Rabs (real F fb) <= val K sc) by (rewrite val_plus; lra)
  end.
  destruct (near_is F K room 6 sum _ _ _ _ z ltac:(lia) Sum Scope (enough_spec _ Sc) Gz) as [Fz Ez].
  split; auto. change (Z.shiftr (6 * sum) (precision F) + 2)%Z with (rounded 6 sum) in Ez.
  set (lost := rounded 6 sum) in *.
  assert (Zc : around zc (val K c - mean_c)).
  { apply minus_around; auto. apply around_exact. }
  assert (Far : 0 <= Rabs (real F fx - mean_x) <= val K (size zc + r)).
  { split; [apply Rabs_pos|]. rewrite val_plus. pose proof (around_size K _ _ Zc).
    replace (real F fx - mean_x) with
      ((real F fx - mean_x - (val K c - mean_c)) + (val K c - mean_c)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). lra. }
  pose proof (times_up_spec K K_pos _ _ _ _ (P _ _ mean_near) Rs) as M1.
  pose proof (times_up_spec K K_pos _ _ _ _ Far (P _ _ root_near)) as M2.
  assert (M : 0 <= Rabs (real F fm - mean_x) * Rabs (real F fr)
      + Rabs (real F fx - mean_x) * Rabs (real F fr - inverse_x)
    <= val K (times_up K mean_lost root_most + times_up K (size zc + r) root_lost))
    by (rewrite val_plus; lra).
  pose proof (times_up_spec K K_pos _ _ _ _ Gs M) as M3.
  set (e := plus_e (times_e K g (times_e K zc f)) b).
  assert (E : around e (real F fg * ((val K c - mean_c) * inverse_c) + real F fb)).
  { apply plus_around; auto. apply times_around; auto. now apply times_around. }
  clearbody e. unfold Enclosures.around in E |- *. cbn [fst snd]. rewrite !val_plus.
  replace (real F z - real F fg * (inverse_x * (real F fx - mean_x) - inverse_c * (val K c - mean_c))
           - val K (fst e))
    with ((real F z - (real F fg * ((real F fx - real F fm) * real F fr) + real F fb))
          + (real F fg * ((mean_x - real F fm) * real F fr + (real F fx - mean_x) * (real F fr - inverse_x))
             + (real F fg * ((val K c - mean_c) * inverse_c) + real F fb - val K (fst e)))) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  pose proof (Rabs_triang (real F fg * ((mean_x - real F fm) * real F fr
      + (real F fx - mean_x) * (real F fr - inverse_x)))
    (real F fg * ((val K c - mean_c) * inverse_c) + real F fb - val K (fst e))) as Tr.
  rewrite (Rabs_mult (real F fg)) in Tr.
  pose proof (Rabs_triang ((mean_x - real F fm) * real F fr)
    ((real F fx - mean_x) * (real F fr - inverse_x))) as Tr2. rewrite !Rabs_mult in Tr2.
  rewrite (Rabs_minus_sym mean_x) in Tr2.
  assert (Rabs (real F fg) * Rabs ((mean_x - real F fm) * real F fr
      + (real F fx - mean_x) * (real F fr - inverse_x))
    <= Rabs (real F fg) * (Rabs (real F fm - mean_x) * Rabs (real F fr)
      + Rabs (real F fx - mean_x) * Rabs (real F fr - inverse_x)))
    by (apply Rmult_le_compat_l; [apply Rabs_pos | exact Tr2]).
  lra.
Qed.

Lemma normed_rows_in gain : forall shift cs es fgain fshift fx y,
  Forall2 contains (map Some gain) fgain -> Forall2 contains (map Some shift) fshift ->
  length gain = length cs -> length shift = length cs -> length fx = length cs ->
  Forall moderate fx ->
  Forall2 (fun c x => Rabs (x - c) <= val K r) (vals cs) (reals fx) ->
  Forall2 (fun c x => Rabs (x - c) <= val K r) (map (fun c => c - mean_c) (vals cs))
    (map (fun x => x - mean_x) (reals fx)) ->
  known (map (normed_row m f r mean_lost mean_most root_lost root_most)
    (combine (combine gain shift) cs)) = Some es ->
  Forall2 (fun '((g, b), a) z => normed_gives F fm fr g b a z) (combine (combine fgain fshift) fx) y ->
  Forall (fun z : float F => is_finite z = true) y
  /\ Forall2 around es
       (minus (reals y)
          (times (reals fgain)
             (minus (scale inverse_x (map (fun x => x - mean_x) (reals fx)))
                (scale inverse_c (map (fun c => c - mean_c) (vals cs)))))).
Proof.
  unfold minus, scale.
  induction gain as [|g gain IH];
    intros [|b shift] [|c cs] es fgain fshift fx y Hg Hb E1 E2 E3 Mx D1 D2 He Hy; try discriminate.
  - destruct fx; [|discriminate]. inversion Hg; subst. inversion Hb; subst. simpl in *.
    injection He as <-. inversion Hy. split; constructor.
  - destruct fx as [|x fx]; [discriminate|]. inversion Hg as [|? fg ? fgain' G1 G2]; subst.
    inversion Hb as [|? fb ? fshift' B1 B2]; subst. cbn [map combine] in *.
    inversion Hy as [|? z ? y' Hz Hy']; subst. inversion Mx as [|? ? [Fx _] Mx']; subst.
    inversion D1 as [|? ? ? ? D1a D1b]; subst. inversion D2 as [|? ? ? ? D2a D2b]; subst.
    cbn [known] in He. destruct (normed_row _ _ _ _ _ _ _ (g, b, c)) as [e|] eqn:Ee; [|discriminate].
    destruct (known _) as [es'|] eqn:Ees in He; [|discriminate]. injection He as <-.
    destruct (IH shift cs es' fgain' fshift' fx y' G2 B2 ltac:(simpl in *; lia)
      ltac:(simpl in *; lia) ltac:(simpl in *; lia) Mx' D1b D2b Ees Hy') as [Fin A].
    destruct (normed_row_in g b c e fg fb x z G1 B1 Fx D1a D2a Ee Hz) as [Fz E].
    simpl. split; constructor; auto.
    match goal with |- around _ ?v => replace v with
      (real F z - real F fg * (inverse_x * (real F x - mean_x) - inverse_c * (val K c - mean_c)))
      by ring end.
    exact E.
Qed.

End Row.

Lemma largest_size gain fgain : Forall2 contains (map Some gain) fgain ->
  0 <= val K (fold_right Z.max 0%Z (map size gain))
  /\ Forall (fun x => Rabs x <= val K (fold_right Z.max 0%Z (map size gain))) (reals fgain).
Proof.
  revert fgain. induction gain as [|g gain IH]; intros fgain H; inversion H as [|? fg ? fgain' Hg Hgs];
    subst; simpl; [rewrite val_0; split; [lra | constructor]|].
  destruct (IH fgain' Hgs) as [P A]. set (most := fold_right Z.max 0%Z (map size gain)) in *.
  apply contains_around in Hg. destruct Hg as [Hg _]. pose proof (around_size K _ _ Hg).
  pose proof (val_mono K (size g) (Z.max (size g) most) ltac:(lia)).
  pose proof (val_mono K most (Z.max (size g) most) ltac:(lia)).
  split; [lra|]. constructor; [lra|]. rewrite Forall_forall in *. intros a Ha.
  specialize (A a Ha). simpl in A. lra.
Qed.

Lemma normed_inside gain shift x fgain fshift fx y : Forall2 contains (map Some gain) fgain ->
  Forall2 contains (map Some shift) fshift -> inside x fx -> norm_gives F fgain fshift fx y ->
  inside (normed_vector gain shift x) y.
Proof.
  intros Hg Hb Hx (fm & fs & fr & Gm & Gs & Gr & Gy).
  pose proof (inside_length _ _ Hx) as Lx.
  assert (L : length (combine (combine gain shift) (fst x)) = length y).
  { rewrite <- (related_length _ _ _ Gy), !combine_length.
    pose proof (related_length _ _ _ Hg) as A. pose proof (related_length _ _ _ Hb) as B.
    rewrite map_length in A, B. lia. }
  destruct x as [cs [r|]]; unfold normed_vector; cbn [fst snd] in *; [|now apply unknown_inside].
  cbv zeta. set (n := Z.of_nat (length cs)) in *. set (es := map (fun c => (c, 0%Z)) cs) in *.
  set (m := mean_e es) in *. set (v := plus_e (mean_square_e K (map (fun e => minus_e e m) es)) (epsilon_e K)) in *.
  set (least := (Z.sqrt (low v * 2 ^ K) - shared_root n r)%Z) in *.
  set (most := shared_root n (length_up cs r)) in *.
  set (square := times_up K most most) in *. set (mean_lost := rounded (n + 24) most) in *.
  set (variance_lost := rounded (3 * n + 80) square) in *.
  set (safe := (least - (quotient_down K variance_lost least + 1))%Z) in *.
  set (inverse := (quotient_down K (2 ^ K) safe + 1)%Z) in *.
  set (root_lost := rounded 8 inverse) in *.
  set (cube := times_up K inverse (times_up K inverse inverse)) in *.
  set (root_moved := (Z.shiftr (times_up K cube variance_lost) 1 + 1 + root_lost)%Z) in *.
  destruct (_ && _)%bool eqn:Checks; [|now apply unknown_inside].
  rewrite !andb_true_iff, !Z.ltb_lt, !Nat.eqb_eq in Checks.
  destruct Checks as ((((((((Hn & Lg) & Lb) & Hv) & Hleast) & Hsafe) & Em) & Ev) & Er).
  apply enough_spec in Em, Ev, Er.
  destruct (known _) as [rows|] eqn:Rows; [|now apply unknown_inside].
  destruct (inside_known _ _ _ Hx) as (Mx & D & Nx & _).
  set (X := reals fx) in *. set (C := vals cs) in *.
  assert (LX : length X = length C) by (unfold X, C; rewrite !map_length; lia).
  assert (LXn : INR (length X) = IZR n).
  { unfold X, n. rewrite map_length, <- Lx. apply INR_IZR_INZ. }
  assert (Xne : X <> []).
  { intros E0. assert (length X = 0%nat) by (rewrite E0; reflexivity). unfold X in H.
    rewrite map_length in H. unfold n in Hn. lia. }
  assert (Npos : 0 < IZR n) by now apply IZR_lt.
  assert (Rn : 0 < sqrt (IZR n)) by now apply sqrt_lt_R0.
  set (d := norm (minus X C)) in *. assert (D0 : 0 <= d) by apply norm_pos.
  assert (U : val K (2 ^ K) = 1) by (apply (val_unit K K_pos)).
  (* the centre *)
  assert (Es : Forall2 around es C).
  { unfold es, C. clear. induction cs; simpl; constructor; auto. apply around_exact. }
  assert (Ene : es <> []).
  { unfold es. destruct cs; [unfold n in Hn; simpl in Hn; lia | discriminate]. }
  pose proof (mean_around K es C Ene Es) as Mc. fold m in Mc.
  pose proof (plus_around K _ _ _ _ (variance_around F K room es C Ene Es) (epsilon_around F K room)) as Vc.
  fold m in Vc. fold v in Vc.
  (* the deviations *)
  assert (Dc : val K (Z.sqrt (low v * 2 ^ K)) <= deviation C).
  { apply Rle_trans with (1 := root_down_spec (low v) ltac:(lia)). apply sqrt_le_1_alt.
    now apply around_ends in Vc. }
  pose proof (shared_root_spec n r d Hn (conj D0 D)) as Sd.
  assert (Sd0 : 0 <= d / sqrt (IZR n)).
  { unfold Rdiv. apply Rmult_le_pos; [exact D0 | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  set (l := val K least) in *.
  assert (Hl : 0 < l).
  { unfold l. apply Rmult_lt_0_compat; [now apply IZR_lt | apply unit_positive]. }
  assert (Ec : l <= deviation C) by (unfold l, least; rewrite val_minus; lra).
  assert (Ex : l <= deviation X).
  { pose proof (deviation_less X C LX Xne) as H. rewrite LXn in H. fold d in H.
    unfold l, least. rewrite val_minus. lra. }
  (* the mean *)
  assert (Ms : sqrt (mean_square X) = norm X / sqrt (IZR n)).
  { unfold norm. rewrite mean_square_norm, LXn. apply sqrt_div_alt. exact Npos. }
  assert (Most : 0 <= sqrt (mean_square X) <= val K most).
  { split; [apply sqrt_pos|]. rewrite Ms. apply shared_root_spec; auto. split; [apply norm_pos | exact Nx]. }
  assert (Fin : Forall (fun a : float F => is_finite a = true) fx).
  { clear - Mx. induction Mx as [|a fx [Fa _] _ IH]; constructor; auto. }
  specialize (Gm Fin). cbv zeta in Gm. specialize (Gs Fin). cbv zeta in Gs.
  rewrite <- Lx in Gm, Gs. fold n in Gm, Gs. fold X in Gm, Gs.
  assert (N1 : 0 <= IZR (n + 1)) by (apply IZR_le; lia).
  assert (Sc1 : IZR (n + 1) * (1 + sqrt (mean_square X)) <= val K ((n + 1) * (2 ^ K + most))).
  { rewrite (val_scaled K), val_plus, U. apply Rmult_le_compat_l; [exact N1 | lra]. }
  destruct (near_is F K room (n + 24) most _ _ _ _ fm ltac:(lia) Most Sc1 Em Gm) as [Fm Bm].
  fold mean_lost in Bm.
  assert (Mean : Rabs (mean X) <= val K most).
  { apply Rle_trans with (2 := proj2 Most). rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. apply mean_most. }
  assert (Sm : Rabs (real F fm) <= val K (most + mean_lost)).
  { rewrite val_plus. replace (real F fm) with ((real F fm - mean X) + mean X) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). unfold mean_lost, rounded. lra. }
  (* the variance *)
  pose proof (mean_square_pos X) as Q0.
  assert (Square : 0 <= mean_square X <= val K square).
  { rewrite <- (sqrt_sqrt (mean_square X) Q0). now apply times_up_spec. }
  assert (Sc2 : IZR (n + 1) * IZR (n + 1) * (1 + mean_square X)
    <= val K ((n + 1) * (n + 1) * (2 ^ K + square))).
  { rewrite (val_scaled K), mult_IZR, val_plus, U.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; exact N1 | lra]. }
  destruct (near_is F K room (3 * n + 80) square _ _ _ _ fs ltac:(lia) Square Sc2 Ev Gs) as [Fs Bs].
  change (Z.shiftr ((3 * n + 80) * square) (precision F) + 2)%Z with variance_lost in Bs.
  set (t := val K safe) in *.
  assert (Ht : 0 < t).
  { unfold t. apply Rmult_lt_0_compat; [now apply IZR_lt | apply unit_positive]. }
  assert (V0 : 0 <= val K variance_lost) by (pose proof (Rabs_pos (real F fs - variance X)); lra).
  set (step := val K (quotient_down K variance_lost least + 1)) in *.
  assert (Step : val K variance_lost / l <= step).
  { apply (quotient_up K K_pos); [exact Hl | lra | unfold l; lra | exact V0]. }
  assert (Tl : t = l - step) by (unfold t, safe; rewrite val_minus; reflexivity).
  assert (Step0 : val K variance_lost <= step * l).
  { replace (val K variance_lost) with (val K variance_lost / l * l) by (field; lra).
    apply Rmult_le_compat_r; lra. }
  assert (Stp : 0 <= step).
  { apply Rle_trans with (2 := Step). unfold Rdiv.
    apply Rmult_le_pos; [exact V0 | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  assert (Dx : deviation X * deviation X = variance X + epsilon).
  { unfold deviation. apply sqrt_sqrt. pose proof (variance_pos X). pose proof epsilon_pos. lra. }
  assert (T2 : t * t <= real F fs + epsilon).
  { apply Rabs_le_inv in Bs. assert (l * l <= deviation X * deviation X) by nra. nra. }
  assert (Tt : 0 < t * t) by nra.
  assert (Ts : t <= sqrt (real F fs + epsilon)).
  { rewrite <- (sqrt_square t) by lra. now apply sqrt_le_1_alt. }
  set (a := sqrt (real F fs + epsilon)) in *.
  assert (Aa : a * a = real F fs + epsilon) by (apply sqrt_sqrt; lra).
  (* 1 over the deviation *)
  assert (Inv : 0 <= / t <= val K inverse).
  { split; [apply Rlt_le, Rinv_0_lt_compat; lra|]. replace (/ t) with (1 / t) by (unfold Rdiv; ring).
    apply (quotient_up K K_pos); fold t; try lra. }
  assert (Ia : 0 <= / a <= val K inverse).
  { split; [apply Rlt_le, Rinv_0_lt_compat; lra|].
    apply Rle_trans with (2 := proj2 Inv). apply Rinv_le_contravar; lra. }
  specialize (Gr Fs ltac:(lra)). cbv zeta in Gr. fold a in Gr.
  assert (Sc3 : 1 + / a <= val K (2 ^ K + inverse)) by (rewrite val_plus, U; lra).
  destruct (near_is F K room 8 inverse _ _ _ _ fr ltac:(lia) Ia Sc3 Er Gr) as [Fr Br].
  change (Z.shiftr (8 * inverse) (precision F) + 2)%Z with root_lost in Br.
  assert (Diff : Rabs (a * a - deviation X * deviation X) <= val K variance_lost).
  { rewrite Aa, Dx. replace (real F fs + epsilon - (variance X + epsilon)) with (real F fs - variance X)
      by ring. exact Bs. }
  pose proof (inverses_near a (deviation X) t _ Ht Ts ltac:(lra) Diff) as Near.
  assert (Moved : / t * (/ t * / t) * val K variance_lost / 2
    <= val K (Z.shiftr (times_up K cube variance_lost) 1 + 1)).
  { pose proof (times_up_spec K K_pos _ _ _ _ Inv Inv) as I2.
    pose proof (times_up_spec K K_pos _ _ _ _ Inv I2) as I3. fold cube in I3.
    pose proof (times_up_spec K K_pos _ _ _ _ I3 (conj V0 (Rle_refl _))) as I4.
    set (w := times_up K cube variance_lost) in *.
    pose proof (shiftr_bounds F w 1 ltac:(lia)) as B. change (bpow radix2 (- (1))) with (/ 2) in B.
    unfold val in *. rewrite plus_IZR. pose proof (unit_positive K).
    apply Rle_trans with (IZR w * / 2 * unit_ K); [lra|]. apply Rmult_le_compat_r; lra. }
  assert (Root : Rabs (real F fr - / deviation X) <= val K root_moved).
  { unfold root_moved. rewrite val_plus.
    replace (real F fr - / deviation X) with ((real F fr - / a) + (/ a - / deviation X)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). lra. }
  assert (Rsize : Rabs (real F fr) <= val K (inverse + root_lost)).
  { rewrite val_plus. replace (real F fr) with (/ a + (real F fr - / a)) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _). rewrite (Rabs_pos_eq (/ a)) by lra. lra. }
  assert (Fc : around (root_e K v) (/ deviation C)) by (apply (root_around K K_pos); auto).
  (* the numbers *)
  assert (D1 : Forall2 (fun c x => Rabs (x - c) <= val K r) C X).
  { pose proof (minus_entries X C LX) as M. fold d in M.
    eapply related_impl; [|exact M]. intros. lra. }
  assert (D2 : Forall2 (fun c x => Rabs (x - c) <= val K r) (map (fun c => c - mean C) C)
    (map (fun x => x - mean X) X)).
  { assert (LZ : length (centred X) = length (centred C)) by (unfold centred; rewrite !map_length; exact LX).
    pose proof (minus_entries (centred X) (centred C) LZ) as M.
    rewrite (centred_minus X C LX) in M. pose proof (centred_most (minus X C)) as Cm. fold d in Cm.
    change (map (fun c => c - mean C) C) with (centred C).
    change (map (fun x => x - mean X) X) with (centred X). 
    eapply related_impl; [|exact M]. intros. lra. }
  destruct (normed_rows_in (mean X) (/ deviation X) (mean C) (/ deviation C) fm fr m (root_e K v) r
    mean_lost (most + mean_lost) root_moved (inverse + root_lost) Fm Fr Mc Fc Bm Sm Root Rsize
    gain shift cs rows fgain fshift fx y Hg Hb Lg Lb (eq_sym Lx) Mx D1 D2 Rows Gy) as [Fy A].
  eapply gathered_inside; [exact Fy | | exact A |].
  - rewrite <- L. clear - Rows. revert rows Rows.
    generalize (combine (combine gain shift) cs). intros these.
    induction these as [|one these IH]; intros rows Rows; simpl in Rows; [injection Rows as <-; reflexivity|].
    destruct (normed_row _ _ _ _ _ _ _ one) as [e|]; [|discriminate].
    destruct (known _) as [others|]; [|discriminate]. injection Rows as <-. simpl. f_equal. now apply IH.
  - destruct (largest_size gain fgain Hg) as [G0 G].
    set (largest := fold_right Z.max 0%Z (map size gain)) in *.
    change (map (fun c => c - mean C) C) with (centred C).
    change (map (fun x => x - mean X) X) with (centred X).
    pose proof (normed_minus X C LX Xne t Ht ltac:(lra) ltac:(lra)) as N. fold d in N.
    apply Rle_trans with (1 := norm_times _ _ G0 G _).
    apply Rle_trans with (val K largest * (/ t * d)).
    + apply Rmult_le_compat_l; [exact G0|]. apply Rle_trans with (1 := N). right. unfold Rdiv. ring.
    + rewrite <- Rmult_assoc. apply (times_up_spec K K_pos); [|exact (conj D0 D)].
      apply (times_up_spec K K_pos); [split; [exact G0 | lra] | exact Inv].
Qed.

End Vectors.

(** * Measuring matrices *)

Section Measure.

(** Weights have W places, and fewer, S, for norms. A row has the weights that it adds, one at most. *)
Variables (F : format) (K W S : Z) (W_ball S_ball : Q -> ball).

Definition measure_row (row : list Q * list Q) : option measured_row :=
  match known (map W_ball (fst row)), known (map S_ball (fst row)),
    known (map (raised K W) (map W_ball (snd row))) with
  | Some es, Some rough, Some bs =>
      if (length bs <=? 1)%nat then Some (es, Z.shiftl (row_up rough) (K - S), sum_e bs) else None
  | _, _, _ => None
  end.

Definition measure (rows : list (list Q * list Q)) : option measured :=
  let width := fold_right Nat.max 0%nat (map (fun row => length (fst row)) rows) in
  match known (map measure_row rows), known (map (fun row => known (map S_ball (fst row))) rows) with
  | Some ms, Some rough => Some (ms, Z.shiftl (matrix_stretch S width rough) (K - S))
  | _, _ => None
  end.

Definition float_rows (rows : list (list Q * list Q)) : list (list (float F) * list (float F)) :=
  map (fun row => (map (number F) (fst row), map (number F) (snd row))) rows.

Local Open Scope R_scope.

Hypothesis W_few : (0 <= W <= K)%Z.
Hypothesis S_few : (0 <= S <= K)%Z.
Hypothesis W_ball_contains : forall q, contains F W (W_ball q) (number F q).
Hypothesis S_ball_contains : forall q, contains F S (S_ball q) (number F q).

Lemma val_more z : val K (Z.shiftl z (K - S)) = val S z.
Proof.
  unfold val. rewrite shiftl_is by lia. unfold unit_. rewrite Rmult_assoc, <- bpow_plus.
  do 2 f_equal. ring.
Qed.

Lemma all_contained places (of : Q -> ball) qs :
  (forall q, contains F places (of q) (number F q)) ->
  Forall2 (contains F places) (map of qs) (map (number F) qs).
Proof. intros H. induction qs; simpl; constructor; auto. Qed.

Lemma all_moderate places es fs : (0 <= places)%Z ->
  Forall2 (contains F places) (map Some es) fs -> Forall (moderate F) fs.
Proof.
  intros Hp. revert fs. induction es as [|e es IH]; intros fs H; inversion H; subst; constructor; auto.
  now apply contained_moderate with places e.
Qed.

Lemma rough_around qs es : known (map S_ball qs) = Some es ->
  Forall2 (around S) es (map (real F) (map (number F) qs)).
Proof.
  intros E. now destruct (known_all F S _ es _ (all_contained S S_ball qs S_ball_contains) E).
Qed.

Lemma measure_row_holds row m : measure_row row = Some m ->
  holds F K W m (map (number F) (fst row)) (map (number F) (snd row)).
Proof.
  destruct row as [row more]. unfold measure_row. cbn [fst snd].
  destruct (known (map W_ball row)) as [es|] eqn:Ee; [|discriminate].
  destruct (known (map S_ball row)) as [rough|] eqn:Er; [|discriminate].
  destruct (known (map (raised K W) (map W_ball more))) as [bs|] eqn:Eb; [|discriminate].
  destruct (Nat.leb_spec (length bs) 1) as [L|]; [|discriminate]. intros [= <-].
  pose proof (all_contained W W_ball row W_ball_contains) as Cw.
  destruct (known_all F W _ es _ Cw Ee) as (A & _ & Sw). rewrite Sw in Cw.
  assert (Cb : Forall2 (contains F K) (map (raised K W) (map W_ball more)) (map (number F) more)).
  { clear - W_few W_ball_contains. induction more; simpl; constructor; auto. now apply raised_contains. }
  destruct (known_all F K _ bs _ Cb Eb) as (B & _ & Sb). rewrite Sb in Cb.
  pose proof (sum_around K bs _ B) as Sum. repeat split; auto.
  - apply all_moderate with W es; [lia | exact Cw].
  - rewrite val_more. apply row_up_spec. now apply rough_around.
  - apply all_moderate with K bs; [lia | exact Cb].
  - rewrite <- (related_length _ _ _ Cb), map_length. exact L.
  - pose proof (around_size K _ _ Sum) as Z. clear - B L Z. unfold total.
    destruct B as [|b h bs hs Hb B]; simpl in *.
    + unfold size. simpl. rewrite val_0. lra.
    + destruct B; simpl in *; [|lia]. rewrite Rplus_0_r in *. exact Z.
Qed.

Lemma measure_sound rows m : measure rows = Some m -> measures F K W m (float_rows rows).
Proof.
  unfold measure. cbv zeta.
  set (width := fold_right Nat.max 0%nat (map (fun row => length (fst row)) rows)).
  destruct (known (map measure_row rows)) as [ms|] eqn:Em; [|discriminate].
  destruct (known (map (fun row => known (map S_ball (fst row))) rows)) as [rough|] eqn:Er; [|discriminate].
  intros [= <-]. unfold measures. cbn [fst snd]. split; [|split].
  - clear Er width. revert ms Em.
    induction rows as [|row rows IH]; intros ms Em; simpl in Em; [injection Em as <-; constructor|].
    destruct (measure_row row) as [one|] eqn:E1; [|discriminate].
    destruct (known (map measure_row rows)) as [others|]; [|discriminate]. injection Em as <-.
    simpl. constructor; auto. now apply measure_row_holds.
  - apply Z.shiftl_nonneg. unfold matrix_stretch, root_up. cbv zeta.
    match goal with |- (0 <= Z.sqrt ?x + 1)%Z => pose proof (Z.sqrt_nonneg x) end. lia.
  - rewrite val_more. apply matrix_stretch_spec; [lia | |].
    + unfold float_rows. rewrite map_map. apply Forall_forall. intros one H. apply in_map_iff in H.
      destruct H as (row & <- & H). cbn [fst]. rewrite !map_length. unfold width. clear - H.
      induction rows as [|other rows IH]; [contradiction|]. simpl in *.
      destruct H as [-> | H]; [lia|]. specialize (IH H). lia.
    + clear Em width. unfold float_rows. rewrite map_map. cbn [fst]. revert rough Er.
      induction rows as [|row rows IH]; intros rough Er; simpl in Er; [injection Er as <-; constructor|].
      destruct (known (map S_ball (fst row))) as [one|] eqn:E1; [|discriminate].
      destruct (known (map (fun row => known (map S_ball (fst row))) rows)) as [others|]; [|discriminate].
      injection Er as <-. simpl. constructor; auto. now apply rough_around.
Qed.

End Measure.
