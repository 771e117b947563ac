(** Euclidean norms: what a matrix, and what a layer norm, make of the distance of two vectors.

    A list stands for a vector that goes on with zeros, so that no lemma needs lengths. *)

From Coq Require Import List Reals Lra Lia Psatz.
From Flocq Require Import Core.
From Lengthwise Require Import FloatFunctions.
Import ListNotations.
Local Open Scope R_scope.

Fixpoint dot (xs ys : list R) : R :=
  match xs, ys with x :: xs, y :: ys => x * y + dot xs ys | _, _ => 0 end.

Definition norm (xs : list R) : R := sqrt (dot xs xs).

Fixpoint plus (xs ys : list R) : list R :=
  match xs, ys with
  | x :: xs, y :: ys => x + y :: plus xs ys
  | [], _ => ys
  | _, [] => xs
  end.

Definition scale (a : R) (xs : list R) : list R := map (Rmult a) xs.

Definition minus (xs ys : list R) : list R := plus xs (scale (-1) ys).

(** A matrix of rows times a vector, and its transpose times a vector. *)
Definition apply (rows : list (list R)) (x : list R) : list R := map (fun row => dot row x) rows.

Fixpoint combine_rows (y : list R) (rows : list (list R)) : list R :=
  match y, rows with a :: y, row :: rows => plus (scale a row) (combine_rows y rows) | _, _ => [] end.

(** The products of all rows. *)
Definition gram (rows : list (list R)) : list (list R) := map (apply rows) rows.

Fixpoint columns (n : nat) (rows : list (list R)) : list (list R) :=
  match n with
  | O => []
  | S n => map (fun row => hd 0 row) rows :: columns n (map (fun row => tl row) rows)
  end.

(** A matrix brings no vectors further apart than that many times. *)
Definition stretches (rows : list (list R)) (t : R) : Prop :=
  forall x, norm (apply rows x) <= t * norm x.

(** * Products *)

Lemma dot_nil xs : dot xs [] = 0.
Proof. now destruct xs. Qed.

Lemma dot_comm xs : forall ys, dot xs ys = dot ys xs.
Proof. induction xs as [|x xs IH]; intros [|y ys]; simpl; try reflexivity. rewrite IH. ring. Qed.

Lemma dot_plus z : forall xs ys, dot z (plus xs ys) = dot z xs + dot z ys.
Proof.
  induction z as [|a z IH]; intros [|x xs] [|y ys]; simpl; try ring. rewrite IH. ring.
Qed.

Lemma dot_scale a z : forall xs, dot z (scale a xs) = a * dot z xs.
Proof.
  induction z as [|b z IH]; intros [|x xs]; simpl; try ring.
  change (map (Rmult a) xs) with (scale a xs). rewrite IH. ring.
Qed.

Lemma dot_minus z xs ys : dot z (minus xs ys) = dot z xs - dot z ys.
Proof. unfold minus. rewrite dot_plus, dot_scale. ring. Qed.

Lemma squares_pos xs : 0 <= dot xs xs.
Proof. induction xs as [|x xs IH]; simpl; nra. Qed.

Lemma norm_pos xs : 0 <= norm xs.
Proof. apply sqrt_pos. Qed.

Lemma norm_square xs : norm xs * norm xs = dot xs xs.
Proof. apply sqrt_sqrt, squares_pos. Qed.

Lemma norm_most xs a : 0 <= a -> dot xs xs <= a * a -> norm xs <= a.
Proof. intros Ha H. rewrite <- (sqrt_square a Ha). now apply sqrt_le_1_alt. Qed.

Lemma norm_least xs a : 0 <= a -> a * a <= dot xs xs -> a <= norm xs.
Proof. intros Ha H. rewrite <- (sqrt_square a Ha). now apply sqrt_le_1_alt. Qed.

Lemma cauchy xs : forall ys, Rabs (dot xs ys) <= norm xs * norm ys.
Proof.
  induction xs as [|x xs IH]; intros [|y ys]; simpl;
    try (rewrite Rabs_R0; apply Rmult_le_pos; apply norm_pos).
  specialize (IH ys). pose proof (norm_pos xs) as A. pose proof (norm_pos ys) as B.
  pose proof (norm_square xs) as Ea. pose proof (norm_square ys) as Eb.
  unfold norm at 1 2. simpl. rewrite <- Ea, <- Eb, <- sqrt_mult_alt by nra.
  set (a := norm xs) in *. set (b := norm ys) in *. set (d := dot xs ys) in *.
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_mult.
  pose proof (Rabs_pos x) as Px. pose proof (Rabs_pos y) as Py.
  replace (x * x) with (Rabs x * Rabs x) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
  replace (y * y) with (Rabs y * Rabs y) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
  set (p := Rabs x) in *. set (q := Rabs y) in *.
  apply Rle_trans with (p * q + a * b); [lra|].
  assert (P : 0 <= p * q + a * b) by nra. rewrite <- (sqrt_square _ P).
  apply sqrt_le_1_alt. pose proof (Rle_0_sqr (p * b - q * a)) as S. unfold Rsqr in S. nra.
Qed.

Lemma triangle xs ys : norm (plus xs ys) <= norm xs + norm ys.
Proof.
  pose proof (norm_pos xs). pose proof (norm_pos ys). apply norm_most; [lra|].
  rewrite dot_plus, !(dot_comm (plus xs ys)), !dot_plus, (dot_comm ys xs).
  pose proof (cauchy xs ys) as C. pose proof (Rle_abs (dot xs ys)).
  pose proof (norm_square xs). pose proof (norm_square ys). nra.
Qed.

Lemma norm_scale a xs : norm (scale a xs) = Rabs a * norm xs.
Proof.
  unfold norm. rewrite dot_scale, dot_comm, dot_scale, <- Rmult_assoc, sqrt_mult_alt by nra.
  f_equal. apply sqrt_Rsqr_abs.
Qed.

Lemma norm_minus_comm xs ys : norm (minus xs ys) = norm (minus ys xs).
Proof.
  unfold norm. f_equal. rewrite !dot_minus, !(dot_comm (minus _ _)), !dot_minus, (dot_comm ys xs).
  ring.
Qed.

(** The norms of two vectors differ by at most that of their difference. *)
Lemma norm_less xs ys : norm xs <= norm ys + norm (minus xs ys).
Proof.
  pose proof (norm_pos ys) as B. pose proof (norm_pos (minus xs ys)) as D. apply norm_most; [lra|].
  pose proof (norm_square (minus xs ys)) as E.
  rewrite dot_minus, !(dot_comm (minus _ _)), !dot_minus, (dot_comm ys xs) in E.
  pose proof (cauchy ys (minus xs ys)) as C. rewrite dot_minus, (dot_comm ys xs) in C.
  pose proof (norm_square ys). apply Rabs_le_inv in C. nra.
Qed.

Lemma norm_mono xs ys : Forall2 (fun x y => Rabs x <= y) xs ys -> norm xs <= norm ys.
Proof.
  intros H. apply sqrt_le_1_alt. induction H as [|x y xs ys H _ IH]; simpl; [lra|].
  pose proof (Rabs_pos x). assert (x * x <= y * y); [|lra].
  replace (x * x) with (Rabs x * Rabs x) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra). nra.
Qed.

Lemma norm_head x xs : norm xs <= norm (x :: xs).
Proof. apply sqrt_le_1_alt. simpl. nra. Qed.

Lemma norm_entry x xs : In x xs -> Rabs x <= norm xs.
Proof.
  intros H. apply norm_least; [apply Rabs_pos|]. rewrite <- Rabs_mult, Rabs_pos_eq by nra.
  induction xs as [|y xs IH]; [contradiction|]. simpl. destruct H as [-> | H].
  - pose proof (squares_pos xs). lra.
  - specialize (IH H). nra.
Qed.

(** * Matrices *)

Lemma apply_minus rows x y : apply rows (minus x y) = minus (apply rows x) (apply rows y).
Proof.
  unfold apply. induction rows as [|row rows IH]; [reflexivity|]. simpl.
  rewrite dot_minus, IH. unfold minus. simpl. f_equal. ring.
Qed.

(** The largest stretch is at most the root of the sum of all squares (Frobenius). *)
Lemma frobenius rows : stretches rows (norm (map norm rows)).
Proof.
  intros x. rewrite Rmult_comm, <- (Rabs_pos_eq (norm x)) by apply norm_pos.
  rewrite <- norm_scale. apply norm_mono. unfold apply, scale. rewrite map_map.
  induction rows as [|row rows IH]; simpl; constructor; auto. rewrite Rmult_comm. apply cauchy.
Qed.

Lemma adjoint y : forall rows x, dot y (apply rows x) = dot (combine_rows y rows) x.
Proof.
  induction y as [|a y IH]; intros [|row rows] x; simpl; try reflexivity.
  rewrite IH, (dot_comm (plus _ _)), dot_plus, dot_scale, !(dot_comm x). reflexivity.
Qed.

Lemma gram_apply rows y : apply rows (combine_rows y rows) = apply (gram rows) y.
Proof.
  unfold gram. unfold apply at 1 2. rewrite map_map. apply map_ext. intros row.
  rewrite dot_comm, <- adjoint. apply dot_comm.
Qed.

Lemma combined_most rows t y : 0 <= t -> stretches (gram rows) (t * t) ->
  norm (combine_rows y rows) <= t * norm y.
Proof.
  intros Ht H. pose proof (norm_pos y). apply norm_most; [nra|].
  rewrite <- adjoint, gram_apply. specialize (H y).
  pose proof (cauchy y (apply (gram rows) y)) as C. pose proof (Rle_abs (dot y (apply (gram rows) y))).
  assert (norm y * norm (apply (gram rows) y) <= norm y * (t * t * norm y))
    by (apply Rmult_le_compat_l; auto).
  nra.
Qed.

(** The square of a stretch is that of the products of rows. *)
Lemma gram_stretches rows t : 0 <= t -> stretches (gram rows) (t * t) -> stretches rows t.
Proof.
  intros Ht H x. set (y := apply rows x). pose proof (combined_most rows t y Ht H) as B.
  pose proof (norm_pos x). pose proof (norm_pos y).
  assert (E : norm y * norm y <= norm y * (t * norm x)).
  { rewrite norm_square. unfold y at 2. rewrite adjoint. pose proof (Rle_abs (dot (combine_rows y rows) x)).
    pose proof (cauchy (combine_rows y rows) x).
    assert (norm (combine_rows y rows) * norm x <= t * norm y * norm x)
      by (apply Rmult_le_compat_r; auto).
    lra. }
  destruct (Req_dec (norm y) 0) as [-> | N]; [nra|]. apply Rmult_le_reg_l with (norm y); lra.
Qed.

Lemma apply_cons rows a x :
  apply rows (a :: x)
  = plus (scale a (map (fun row => hd 0 row) rows)) (apply (map (fun row => tl row) rows) x).
Proof.
  unfold apply, scale. rewrite !map_map. induction rows as [|row rows IH]; [reflexivity|]. simpl.
  rewrite IH. f_equal. destruct row; simpl; ring.
Qed.

Lemma apply_columns n : forall rows, Forall (fun row => length row <= n)%nat rows ->
  forall z x, dot z (apply rows x) = dot z (combine_rows x (columns n rows)).
Proof.
  induction n as [|n IH]; intros rows H z x.
  - assert (Z : forall z, dot z (apply rows x) = 0).
    { induction H as [|row rows H _ IHr]; intros [|a w]; simpl; try reflexivity.
      destruct row; [|simpl in H; lia]. simpl. rewrite IHr. ring. }
    rewrite Z. destruct x; simpl; now rewrite dot_nil.
  - destruct x as [|a x].
    + simpl. rewrite dot_nil. assert (Z : forall z, dot z (apply rows []) = 0); [|apply Z].
      clear. unfold apply. induction rows as [|row rows IH]; intros [|b w]; simpl; try reflexivity.
      rewrite IH, dot_nil. ring.
    + rewrite apply_cons. simpl. rewrite !dot_plus, IH; [reflexivity|].
      induction H as [|row rows H _ IHr]; simpl; constructor; auto. destruct row; simpl in *; lia.
Qed.

(** So is that of the products of columns. *)
Lemma columns_stretch n rows t : Forall (fun row => length row <= n)%nat rows -> 0 <= t ->
  stretches (gram (columns n rows)) (t * t) -> stretches rows t.
Proof.
  intros Hn Ht H x. pose proof (combined_most (columns n rows) t x Ht H) as B.
  replace (norm (apply rows x)) with (norm (combine_rows x (columns n rows))); auto.
  unfold norm. f_equal. rewrite (apply_columns n rows Hn (apply rows x) x), (dot_comm (apply rows x)).
  now rewrite (apply_columns n rows Hn).
Qed.

(** Products number by number. *)
Fixpoint times (xs ys : list R) : list R :=
  match xs, ys with x :: xs, y :: ys => x * y :: times xs ys | _, _ => [] end.

Lemma norm_times most xs : 0 <= most -> Forall (fun x => Rabs x <= most) xs ->
  forall ys, norm (times xs ys) <= most * norm ys.
Proof.
  intros Hm H ys. pose proof (norm_pos ys). apply norm_most; [nra|].
  replace (most * norm ys * (most * norm ys)) with (most * most * dot ys ys)
    by (rewrite <- (norm_square ys); ring).
  clear H0. revert ys. induction H as [|x xs Hx _ IH]; intros ys.
  - simpl. pose proof (squares_pos ys). nra.
  - destruct ys as [|y ys]; simpl; [nra|].
    specialize (IH ys). assert (x * y * (x * y) <= most * most * (y * y)); [|nra].
    replace (x * y * (x * y)) with (Rabs x * Rabs x * (y * y))
      by (rewrite <- Rabs_mult, (Rabs_pos_eq (x * x)) by nra; ring).
    apply Rmult_le_compat_r; [nra|]. pose proof (Rabs_pos x). apply Rmult_le_compat; lra.
Qed.

(** * Layer norms *)

(** Vectors of unit length differ by at most the difference of longer ones. *)
Lemma unit_vectors xs ys s : 0 < s -> s <= norm xs -> s <= norm ys ->
  norm (minus (scale (/ norm xs) xs) (scale (/ norm ys) ys)) <= norm (minus xs ys) / s.
Proof.
  intros Hs Hx Hy. pose proof (norm_square xs) as A. pose proof (norm_square ys) as B.
  pose proof (norm_square (minus xs ys)) as D. pose proof (norm_pos (minus xs ys)) as Pd.
  set (a := norm xs) in *. set (b := norm ys) in *. set (d := norm (minus xs ys)) in *.
  assert (P : 0 < / s) by now apply Rinv_0_lt_compat.
  apply norm_most; [unfold Rdiv; apply Rmult_le_pos; lra|].
  rewrite dot_minus, !(dot_comm (minus _ _)), !dot_minus in D.
  rewrite dot_minus, !(dot_comm (minus _ _)), !dot_minus, !dot_scale.
  rewrite !(dot_comm (scale _ _)), !dot_scale, <- A, <- B, (dot_comm ys xs) in *.
  set (p := dot xs ys) in *.
  replace (/ a * (/ a * (a * a)) - / b * (/ a * p) - (/ a * (/ b * p) - / b * (/ b * (b * b))))
    with (2 * (a * b - p) * / (a * b)) by (field; lra).
  replace (d / s * (d / s)) with (d * d * / (s * s)) by (field; lra).
  assert (0 < s * s <= a * b) by (split; [nra | apply Rmult_le_compat; lra]).
  assert (/ (a * b) <= / (s * s)) by (apply Rinv_le_contravar; lra).
  assert (0 < / (a * b)) by (apply Rinv_0_lt_compat; lra).
  assert (2 * (a * b - p) <= d * d) by (pose proof (Rle_0_sqr (a - b)) as S; unfold Rsqr in S; lra).
  assert (0 <= d * d) by nra.
  apply Rle_trans with (d * d * / (a * b)); [apply Rmult_le_compat_r | apply Rmult_le_compat_l]; lra.
Qed.

Definition centred (xs : list R) : list R := map (fun x => x - mean xs) xs.

Definition deviation (xs : list R) : R := sqrt (variance xs + epsilon).

Lemma epsilon_pos : 0 < epsilon.
Proof. unfold epsilon. lra. Qed.

Lemma total_minus xs : forall ys, length xs = length ys -> total (minus xs ys) = total xs - total ys.
Proof.
  unfold total, minus, scale. induction xs as [|x xs IH]; intros [|y ys] E; try discriminate; simpl;
    [ring|]. rewrite IH by (simpl in E; lia). ring.
Qed.

Lemma minus_length xs : forall ys, length xs = length ys -> length (minus xs ys) = length xs.
Proof.
  unfold minus. induction xs as [|x xs IH]; intros [|y ys] E; try discriminate; simpl; auto.
Qed.

Lemma mean_minus xs ys : length xs = length ys -> mean (minus xs ys) = mean xs - mean ys.
Proof.
  intros E. unfold mean. rewrite total_minus, minus_length by assumption. rewrite E. unfold Rdiv. ring.
Qed.

Lemma centred_minus xs ys : length xs = length ys ->
  minus (centred xs) (centred ys) = centred (minus xs ys).
Proof.
  intros E. unfold centred. rewrite mean_minus by assumption. set (m := mean xs). set (n := mean ys).
  clearbody m n. revert ys E. unfold minus, scale.
  induction xs as [|x xs IH]; intros [|y ys] E; try discriminate; simpl; [reflexivity|].
  f_equal; [ring|]. apply IH. simpl in E. lia.
Qed.

Lemma shifted_squares m xs :
  dot (map (fun x => x - m) xs) (map (fun x => x - m) xs)
  = dot xs xs - 2 * m * total xs + INR (length xs) * (m * m).
Proof.
  induction xs as [|x xs IH]; [simpl; ring|]. unfold total in *. cbn [length map fold_right dot].
  rewrite S_INR, IH. ring.
Qed.

Lemma centred_most xs : norm (centred xs) <= norm xs.
Proof.
  apply sqrt_le_1_alt. unfold centred. rewrite shifted_squares. destruct xs as [|x xs].
  { simpl. lra. }
  unfold mean. set (all := x :: xs).
  assert (N : 0 < INR (length all)) by (apply lt_0_INR; simpl; lia).
  set (t := total all). set (n := INR (length all)) in *.
  replace (2 * (t / n) * t) with (2 * (n * (t / n * (t / n)))) by (field; lra).
  assert (0 <= n * (t / n * (t / n))).
  { apply Rmult_le_pos; [lra|]. exact (Rle_0_sqr (t / n)). }
  lra.
Qed.

Lemma mean_square_norm xs : mean_square xs = dot xs xs / INR (length xs).
Proof.
  unfold mean_square, mean, total. rewrite map_length. f_equal.
  induction xs as [|x xs IH]; simpl; [reflexivity|]. now rewrite IH.
Qed.

Lemma mean_most xs : mean xs * mean xs <= mean_square xs.
Proof.
  pose proof (squares_pos (centred xs)) as P. unfold centred in P. rewrite shifted_squares in P.
  rewrite mean_square_norm. destruct xs as [|x xs].
  { unfold mean, total. simpl. unfold Rdiv. lra. }
  unfold mean in *. set (all := x :: xs) in *.
  assert (N : 0 < INR (length all)) by (apply lt_0_INR; simpl; lia).
  set (t := total all) in *. set (n := INR (length all)) in *. set (q := dot all all) in *.
  apply Rmult_le_reg_r with n; auto. replace (q / n * n) with q by (field; lra).
  replace (2 * (t / n) * t) with (2 * (n * (t / n * (t / n)))) in P by (field; lra). lra.
Qed.

Lemma variance_norm xs : variance xs = dot (centred xs) (centred xs) / INR (length xs).
Proof. unfold variance. cbv zeta. rewrite mean_square_norm, map_length. reflexivity. Qed.

Lemma variance_pos xs : 0 <= variance xs.
Proof.
  rewrite variance_norm. destruct xs; [simpl; unfold Rdiv; lra|].
  apply Rmult_le_pos; [apply squares_pos | apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; simpl; lia].
Qed.

Lemma variance_most xs : variance xs <= mean_square xs.
Proof.
  rewrite variance_norm, mean_square_norm. unfold Rdiv. apply Rmult_le_compat_r.
  - destruct xs; [simpl; rewrite Rinv_0; lra | apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; simpl; lia].
  - rewrite <- !norm_square. pose proof (norm_pos (centred xs)). pose proof (norm_pos xs).
    apply Rmult_le_compat; auto using centred_most.
Qed.

Lemma deviation_pos xs : 0 < deviation xs.
Proof. apply sqrt_lt_R0. pose proof (variance_pos xs). pose proof epsilon_pos. lra. Qed.

(** A vector whose length is the deviation. *)
Definition lengthened (xs : list R) : list R :=
  sqrt epsilon :: scale (/ sqrt (INR (length xs))) (centred xs).

Section Pair.

Variables xs ys : list R.
Hypothesis same : length xs = length ys.
Hypothesis some : xs <> [].

Let n := INR (length xs).

Let n_pos : 0 < n.
Proof. apply lt_0_INR. destruct xs; [congruence | simpl; lia]. Qed.

Let root_pos : 0 < sqrt n.
Proof. now apply sqrt_lt_R0. Qed.

Let inverse_pos : 0 < / sqrt n.
Proof. now apply Rinv_0_lt_compat. Qed.

Lemma lengthened_norm zs : length zs = length xs -> norm (lengthened zs) = deviation zs.
Proof.
  intros E. unfold norm, deviation, lengthened. f_equal. simpl.
  rewrite sqrt_sqrt by (pose proof epsilon_pos; lra). rewrite dot_scale, dot_comm, dot_scale, E.
  fold n. rewrite variance_norm, E. fold n.
  replace (/ sqrt n * (/ sqrt n * dot (centred zs) (centred zs)))
    with (dot (centred zs) (centred zs) * / (sqrt n * sqrt n)) by (field; lra).
  rewrite sqrt_sqrt by lra. unfold Rdiv. ring.
Qed.

Lemma lengthened_minus :
  norm (minus (lengthened xs) (lengthened ys)) <= norm (minus xs ys) / sqrt n.
Proof.
  unfold lengthened, minus at 1. simpl. rewrite <- same. fold n.
  apply Rle_trans with (norm (0 :: scale (/ sqrt n) (centred (minus xs ys)))).
  - right. f_equal. f_equal; [ring|]. rewrite <- centred_minus by assumption.
    fold (minus (scale (/ sqrt n) (centred xs)) (scale (/ sqrt n) (centred ys))).
    generalize (centred xs) (centred ys). unfold minus, scale.
    induction l as [|a l IH]; intros [|b k]; simpl; try reflexivity.
    + f_equal; [ring|]. rewrite !map_map. apply map_ext. intros. ring.
    + f_equal; [ring|]. apply IH.
  - unfold norm at 1. simpl. rewrite Rmult_0_l, Rplus_0_l. fold (norm (scale (/ sqrt n) (centred (minus xs ys)))).
    rewrite norm_scale, Rabs_pos_eq by lra. rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|].
    apply centred_most.
Qed.

Lemma deviation_less : deviation ys - norm (minus xs ys) / sqrt n <= deviation xs.
Proof.
  rewrite <- (lengthened_norm xs eq_refl), <- (lengthened_norm ys (eq_sym same)).
  pose proof (norm_less (lengthened ys) (lengthened xs)) as H. rewrite norm_minus_comm in H.
  pose proof lengthened_minus. lra.
Qed.

(** A layer norm without gains: its Lipschitz constant is 1 over the least deviation. *)
Lemma normed_minus s : 0 < s -> s <= deviation xs -> s <= deviation ys ->
  norm (minus (scale (/ deviation xs) (centred xs)) (scale (/ deviation ys) (centred ys)))
  <= norm (minus xs ys) / s.
Proof.
  intros Hs Hx Hy. pose proof (unit_vectors (lengthened xs) (lengthened ys) s Hs) as U.
  rewrite (lengthened_norm xs eq_refl), (lengthened_norm ys (eq_sym same)) in U.
  specialize (U Hx Hy). pose proof lengthened_minus as L.
  set (d := minus (scale (/ deviation xs) (centred xs)) (scale (/ deviation ys) (centred ys))).
  assert (E : / sqrt n * norm d
    <= norm (minus (scale (/ deviation xs) (lengthened xs)) (scale (/ deviation ys) (lengthened ys)))).
  { rewrite <- (Rabs_pos_eq (/ sqrt n)) by lra. rewrite <- norm_scale.
    unfold lengthened, minus at 1. rewrite <- same. fold n. simpl.
    apply Rle_trans with (2 := norm_head _ _). right. f_equal. unfold d, minus, scale.
    generalize (centred xs) (centred ys).
    induction l as [|a l IH]; intros [|b k]; simpl; try reflexivity.
    - f_equal; [ring|]. rewrite !map_map. apply map_ext. intros. ring.
    - f_equal; [ring|]. rewrite !map_map. apply map_ext. intros. ring.
    - f_equal; [ring|]. apply IH. }
  apply Rmult_le_reg_l with (/ sqrt n); auto.
  apply Rle_trans with (1 := E), Rle_trans with (1 := U).
  replace (/ sqrt n * (norm (minus xs ys) / s)) with (norm (minus xs ys) / sqrt n * / s)
    by (unfold Rdiv; ring).
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | exact L].
Qed.

End Pair.
