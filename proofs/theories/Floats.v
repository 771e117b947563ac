(** Sums of products in floating point, as any machine may compute them.

    This file has definitions alone. A machine may add in any order (any binary tree), may fuse a
    product with the addition that follows it, and may take numbers below the smallest normal one as
    0, now and then or always. *)

From Coq Require Import List ZArith Reals QArith Bool Permutation.
From Flocq Require Import Core BinarySingleNaN.
Import ListNotations.

(** A binary format of IEEE 754: digits of the significand, and the exponent that is too large. *)
Record format := {
  precision : Z;
  exponent_limit : Z;
  has_digits : Prec_gt_0 precision;
  has_range : Prec_lt_emax precision exponent_limit
}.

Definition single : format :=
  {| precision := 24; exponent_limit := 128; has_digits := eq_refl; has_range := eq_refl |}.

Definition double : format :=
  {| precision := 53; exponent_limit := 1024; has_digits := eq_refl; has_range := eq_refl |}.

Section Sums.

Variable F : format.

(** Numbers of the format, infinities, and the NaN. *)
Definition float := binary_float (precision F) (exponent_limit F).

Definition zero : float := B754_zero false.

Definition real (x : float) : R := B2R x.

(** To the nearest number, ties to the even one; numbers below the smallest normal one are kept. *)
Definition nearest (x : R) : R :=
  round radix2 (SpecFloat.fexp (precision F) (exponent_limit F)) (round_mode mode_NE) x.

(** [z] is the result of an operation whose exact result is [x]. Nothing is said of one that
    overflows. *)
Definition rounds (x : R) (z : float) : Prop :=
  (Rabs (nearest x) < bpow radix2 (exponent_limit F))%R -> is_finite z = true /\ real z = nearest x.

(** The smallest normal number. *)
Definition smallest_normal : R := bpow radix2 (2 - exponent_limit F).

(** [y] is [x], or 0 in its place. *)
Definition flushed (x y : float) : Prop :=
  y = x \/ (is_finite x = true /\ (Rabs (real x) <= smallest_normal)%R
            /\ is_finite y = true /\ real y = 0%R).

Inductive term := Number (x : float) | Product (x y : float).

(** [adds terms z]: [z] may come out if terms are added. Nothing is said of what comes out of
    infinities and NaNs. *)
Inductive adds : list term -> float -> Prop :=
  | adds_number x : adds [Number x] x
  | adds_product x x' y y' z : flushed x x' -> flushed y y' ->
      (is_finite x' = true -> is_finite y' = true -> rounds (real x' * real y') z) ->
      adds [Product x y] z
  | adds_fused x x' y y' terms a z : adds terms a -> flushed x x' -> flushed y y' ->
      (is_finite x' = true -> is_finite y' = true -> is_finite a = true ->
       rounds (real x' * real y' + real a) z) ->
      adds (Product x y :: terms) z
  | adds_both terms others a b z : adds terms a -> adds others b ->
      (is_finite a = true -> is_finite b = true -> rounds (real a + real b) z) ->
      adds (terms ++ others) z
  | adds_flushed terms a z : adds terms a -> flushed a z -> adds terms z
  | adds_reordered terms others z : Permutation terms others -> adds terms z -> adds others z.

(** The sum of nothing is 0. *)
Definition sums (terms : list term) (z : float) : Prop :=
  match terms with
  | [] => z = zero
  | _ => adds terms z
  end.

Definition products (x y : list float) : list term :=
  map (fun '(a, b) => Product a b) (combine x y).

(** A row of a matrix times a vector, plus more numbers: all of it is one sum. *)
Definition row_gives (row x more : list float) (z : float) : Prop :=
  sums (products row x ++ map Number more) z.

(** One addition. *)
Definition plus_gives (a b z : float) : Prop :=
  exists a' b' c,
    flushed a a' /\ flushed b b'
    /\ (is_finite a' = true -> is_finite b' = true -> rounds (real a' + real b') c) /\ flushed c z.

(** max(x, 0) *)
Definition rectified (x : float) : float := if Bltb x zero then zero else x.

(** The float of a fraction whose denominator is a power of two. *)
Definition number (q : Q) : float :=
  binary_normalize (precision F) (exponent_limit F) (has_digits F) (has_range F) mode_NE
    (Qnum q) (- Z.log2 (Zpos (Qden q))) false.

End Sums.

Arguments Number {F}.
Arguments Product {F}.
