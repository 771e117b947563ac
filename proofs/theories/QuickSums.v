(** Sums and products of numbers whose denominators are powers of two times something common, and
    the proof that networks which use them answer as those of [Networks.v].

    Sums of Coq's rational numbers multiply denominators, so that a network would need numbers of
    thousands of digits. The denominators of weights are powers of two, and so one of two
    denominators is a power of two times the other: the sum has the larger one. *)

From Coq Require Import List NArith ZArith Arith QArith Bool Lia.
From Lengthwise Require Import Words Networks.
Import ListNotations.

(** The power of two that makes a small denominator a large one, if there is one. *)
Definition steps_between (small large : positive) : option positive :=
  match (Pos.size large ?= Pos.size small)%positive with
  | Gt =>
      let places := (Pos.size large - Pos.size small)%positive in
      if (Pos.iter xO small places =? large)%positive then Some places else None
  | _ => None
  end.

Definition shifted (x : Z) (places : positive) : Z := Z.shiftl x (Zpos places).

Definition quick_add (a b : Q) : Q :=
  if (Qden a =? Qden b)%positive then Qnum a + Qnum b # Qden a
  else
    match steps_between (Qden a) (Qden b), steps_between (Qden b) (Qden a) with
    | Some places, _ => shifted (Qnum a) places + Qnum b # Qden b
    | _, Some places => Qnum a + shifted (Qnum b) places # Qden a
    | None, None => Qplus a b
    end.

(** A product with 0 and a sum with 0 keep no denominator. *)
Definition quick_plus (a b : Q) : Q :=
  match Qnum a, Qnum b with
  | Z0, _ => b
  | _, Z0 => a
  | _, _ => quick_add a b
  end.

Definition quick_times (a b : Q) : Q :=
  match Qnum a, Qnum b with
  | Z0, _ => 0%Q
  | _, Z0 => 0%Q
  | _, _ => Qmult a b
  end.

(** * They are sums and products *)

Lemma iter_xO small places : Zpos (Pos.iter xO small places) = (Zpos small * 2 ^ Zpos places)%Z.
Proof.
  induction places using Pos.peano_ind.
  - simpl. lia.
  - rewrite Pos.iter_succ, Pos2Z.inj_succ, Z.pow_succ_r by lia.
    change (Zpos (xO (Pos.iter xO small places))) with (2 * Zpos (Pos.iter xO small places))%Z.
    rewrite IHplaces. ring.
Qed.

Lemma steps_between_spec small large places : steps_between small large = Some places ->
  Zpos large = (Zpos small * 2 ^ Zpos places)%Z.
Proof.
  unfold steps_between. destruct (Pos.compare _ _); try discriminate.
  set (k := (Pos.size large - Pos.size small)%positive).
  destruct (Pos.eqb_spec (Pos.iter xO small k) large) as [E|]; [|discriminate].
  intros [= <-]. rewrite <- E. apply iter_xO.
Qed.

Lemma shifted_is x places : shifted x places = (x * 2 ^ Zpos places)%Z.
Proof. apply Z.shiftl_mul_pow2. lia. Qed.

Lemma quick_add_is a b : (quick_add a b == a + b)%Q.
Proof.
  destruct a as [n d], b as [m e]. unfold quick_add. cbn [Qnum Qden].
  destruct (Pos.eqb_spec d e) as [->|_].
  - unfold Qeq, Qplus. cbn [Qnum Qden]. rewrite Pos2Z.inj_mul. ring.
  - destruct (steps_between d e) as [k|] eqn:E.
    + apply steps_between_spec in E. unfold Qeq, Qplus. cbn [Qnum Qden].
      rewrite shifted_is, Pos2Z.inj_mul, E. ring.
    + destruct (steps_between e d) as [k|] eqn:E'; [|reflexivity].
      apply steps_between_spec in E'. unfold Qeq, Qplus. cbn [Qnum Qden].
      rewrite shifted_is, Pos2Z.inj_mul, E'. ring.
Qed.

Lemma quick_plus_is a b : (quick_plus a b == a + b)%Q.
Proof.
  unfold quick_plus. destruct a as [n d], b as [m e]. cbn [Qnum].
  destruct n; [|destruct m|destruct m]; try apply quick_add_is;
    unfold Qeq, Qplus; cbn [Qnum Qden]; rewrite ?Pos2Z.inj_mul; ring.
Qed.

Lemma quick_times_is a b : (quick_times a b == a * b)%Q.
Proof.
  unfold quick_times. destruct a as [n d], b as [m e]. cbn [Qnum].
  destruct n; [|destruct m|destruct m]; try reflexivity;
    unfold Qeq, Qmult; cbn [Qnum Qden]; ring.
Qed.

(** * Equal numbers in other forms *)

Definition same (x y : coordinates) : Prop := Forall2 Qeq x y.

Lemma same_refl x : same x x.
Proof. induction x; constructor; auto. reflexivity. Qed.

Lemma same_length x y : same x y -> length x = length y.
Proof. induction 1; simpl; auto. Qed.

Lemma at_most_same a a' b b' : (a == a')%Q -> (b == b')%Q -> Qle_bool a b = Qle_bool a' b'.
Proof.
  intros Ha Hb. apply eq_true_iff_eq. rewrite !Qle_bool_iff. now rewrite Ha, Hb.
Qed.

Section Same.

Variables (add mul : Q -> Q -> Q).
Hypothesis add_is : forall a b, (add a b == a + b)%Q.
Hypothesis mul_is : forall a b, (mul a b == a * b)%Q.

Lemma add_same a a' b b' : (a == a')%Q -> (b == b')%Q -> (add a b == Qplus a' b')%Q.
Proof. intros Ha Hb. now rewrite add_is, Ha, Hb. Qed.

Lemma mul_same a a' b b' : (a == a')%Q -> (b == b')%Q -> (mul a b == Qmult a' b')%Q.
Proof. intros Ha Hb. now rewrite mul_is, Ha, Hb. Qed.

Lemma dot_same x x' : same x x' -> forall y y', same y y' ->
  (dot add mul x y == dot Qplus Qmult x' y')%Q.
Proof.
  induction 1 as [|a a' x x' Ha Hx IH]; intros y y' Hy; [simpl; reflexivity|].
  destruct Hy as [|b b' y y' Hb Hy]; [simpl; reflexivity|].
  apply add_same; [apply mul_same; auto | apply IH; auto].
Qed.

Lemma plus_same x x' : same x x' -> forall y y', same y y' ->
  same (plus add x y) (plus Qplus x' y').
Proof.
  induction 1 as [|a a' x x' Ha Hx IH]; intros y y' Hy; [constructor|].
  destruct Hy as [|b b' y y' Hb Hy]; [constructor|].
  constructor; [apply add_same; auto | apply IH; auto].
Qed.

Lemma sum_same xs ys : Forall2 same xs ys -> same (sum add xs) (sum Qplus ys).
Proof.
  induction 1 as [|x y xs ys Hx Hxs IH]; [constructor|].
  destruct Hxs as [|x2 y2 xs ys]; [exact Hx|]. apply plus_same; auto.
Qed.

Lemma times_same f f' x x' : (f == f')%Q -> same x x' ->
  same (times mul f x) (times Qmult f' x').
Proof. intros Hf. induction 1; constructor; auto. apply mul_same; auto. Qed.

Lemma apply_same rows x x' : same x x' ->
  same (apply add mul rows x) (apply Qplus Qmult rows x').
Proof.
  intros Hx. induction rows; constructor; auto. apply dot_same; auto. apply same_refl.
Qed.

Lemma affine_same f x x' : same x x' -> same (affine add mul f x) (affine Qplus Qmult f x').
Proof.
  intros Hx. apply plus_same; [apply apply_same; auto | apply same_refl].
Qed.

Lemma relu_same a a' : (a == a')%Q -> (relu a == relu a')%Q.
Proof.
  intros Ha. unfold relu. rewrite (at_most_same 0%Q 0%Q a a') by (auto; reflexivity).
  now destruct (Qle_bool 0 a').
Qed.

Lemma relus_same x x' : same x x' -> same (map relu x) (map relu x').
Proof. induction 1; constructor; auto. now apply relu_same. Qed.

Lemma code_same m x x' : same x x' -> code_of add mul m x = code_of Qplus Qmult m x'.
Proof.
  intros Hx. unfold code_of. pose proof (affine_same (written m) x x' Hx) as H.
  induction H as [|a a' y y' Ha Hy IH]; simpl; auto. f_equal; auto.
  apply at_most_same; auto. reflexivity.
Qed.

Lemma recall_same m code : same (recall add mul m code) (recall Qplus Qmult m code).
Proof. apply affine_same, same_refl. Qed.

Lemma nth_same x y : same x y -> forall i, (nth i x 0 == nth i y 0)%Q.
Proof. induction 1; intros [|i]; simpl; auto; reflexivity. Qed.

Lemma largest_same x y : same x y -> largest x = largest y.
Proof.
  intros H. unfold largest. rewrite <- (same_length _ _ H). f_equal.
  assert (E : forall i, is_largest x i = is_largest y i).
  { intros i. unfold is_largest. rewrite <- (same_length _ _ H).
    induction (seq 0 (length x)) as [|j js IH]; simpl; auto. rewrite IH. f_equal. f_equal. f_equal.
    apply at_most_same; now apply nth_same. }
  induction (seq 0 (length x)) as [|i l IH]; simpl; auto. now rewrite E, IH.
Qed.

(** ** Trees *)

Variable net : tree_network.

Lemma gather_same h x x' seen seen' : same x x' -> Forall2 same seen seen' ->
  same (gather add mul net h x seen) (gather Qplus Qmult net h x' seen').
Proof.
  intros Hx Hseen. unfold gather. apply sum_same. generalize (offset_bias h).
  induction Hseen as [|v v' seen seen' Hv Hseen IH]; intros [|r rs]; simpl; constructor; auto.
  apply times_same; [|now apply apply_same]. apply mul_same; [reflexivity|]. apply relu_same.
  apply add_same; [|reflexivity].
  apply dot_same; [now apply apply_same|]. apply apply_same, times_same; auto. reflexivity.
Qed.

Lemma concat_same xs ys : Forall2 same xs ys -> same (concat xs) (concat ys).
Proof. induction 1; simpl; [constructor|]. apply Forall2_app; auto. Qed.

Lemma layer_same l x x' seen seen' : same x x' -> Forall2 same seen seen' ->
  same (layer_at add mul net l x seen) (layer_at Qplus Qmult net l x' seen').
Proof.
  intros Hx Hseen. unfold layer_at.
  assert (H : same
    (plus add x (apply add mul (output l)
      (concat (map (fun h => gather add mul net h x seen) (heads l)))))
    (plus Qplus x' (apply Qplus Qmult (output l)
      (concat (map (fun h => gather Qplus Qmult net h x' seen') (heads l)))))).
  { apply plus_same; auto. apply apply_same, concat_same.
    induction (heads l); simpl; constructor; auto. now apply gather_same. }
  apply plus_same; auto. now apply affine_same, relus_same, affine_same.
Qed.

Lemma everywhere_same l xs xs' : Forall2 same xs xs' ->
  Forall2 same (everywhere add mul net l xs) (everywhere Qplus Qmult net l xs').
Proof.
  induction 1 as [|x x' xs xs' Hx Hxs IH]; simpl; constructor; auto.
  apply layer_same; auto.
Qed.

Lemma block_same these : forall xs xs', Forall2 same xs xs' ->
  same (block add mul net these xs) (block Qplus Qmult net these xs').
Proof.
  induction these as [|l these IH]; intros xs xs' H; simpl; [constructor|].
  pose proof (everywhere_same l xs xs' H) as He.
  destruct these as [|l' these]; [|now apply IH].
  destruct H as [|x x' xs xs' Hx Hxs]; [apply IH; auto|]. apply layer_same; auto.
Qed.

Lemma vector_same x : same (vector_of add mul net x) (vector_of Qplus Qmult net x).
Proof. destruct x; simpl; [apply same_refl | apply same_refl | apply recall_same]. Qed.

Lemma compose_same chunk : compose add mul net chunk = compose Qplus Qmult net chunk.
Proof.
  apply code_same, block_same. rewrite <- !map_rev.
  induction (rev chunk); simpl; constructor; auto. apply vector_same.
Qed.

Lemma class_of_node_same x : class_of_node add mul net x = class_of_node Qplus Qmult net x.
Proof. apply largest_same, affine_same, vector_same. Qed.

(** ** Networks that read symbol by symbol *)

Variable read : recurrent_network.

Lemma first_bits_same : first_bits add mul read = first_bits Qplus Qmult read.
Proof. apply code_same, same_refl. Qed.

Lemma next_bits_same code a : next_bits add mul read code a = next_bits Qplus Qmult read code a.
Proof.
  apply code_same, relus_same, plus_same; [apply same_refl|]. apply affine_same, recall_same.
Qed.

Lemma class_of_code_same code : class_of_code add mul read code = class_of_code Qplus Qmult read code.
Proof. apply largest_same, affine_same, recall_same. Qed.

End Same.
