(** Functions in floating point that are not sums: exp, tanh, the logistic function, softmax, and
    layer norms, as any machine may compute them.

    This file has definitions alone. IEEE 754 says nothing of these functions, so the numbers of
    roundings here are what is assumed of a machine: exp within 20 units in the last place, tanh
    within 8, the logistic function within 22, and reciprocal roots within 2. *)

From Coq Require Import List ZArith Reals Bool.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Floats.
Import ListNotations.
Local Open Scope R_scope.

Section Functions.

Variable F : format.

Notation vector := (list (float F)).
Notation finite x := (is_finite x = true).

(** [z] is within [n] roundings of numbers up to [size] from [exact], and within what numbers below
    the smallest normal one can do beside numbers up to [scope]. Nothing is said of a larger scope,
    where numbers might overflow. *)
Definition near (n : Z) (size scope exact : R) (z : float F) : Prop :=
  scope < bpow radix2 40 ->
  finite z /\ Rabs (real F z - exact)
              <= IZR n * bpow radix2 (- precision F) * size + bpow radix2 50 * smallest_normal F.

(** A function of that value, within that many units in its last place. *)
Definition within (units : Z) (exact : R) (z : float F) : Prop :=
  near (2 * units) (Rabs exact) (1 + Rabs exact) exact z.

Definition exp_gives (x z : float F) : Prop := finite x -> within 20 (exp (real F x)) z.

Definition tanh_gives (x z : float F) : Prop := finite x -> within 8 (tanh (real F x)) z.

Definition logistic (x : R) : R := / (1 + exp (- x)).

Definition logistic_gives (x z : float F) : Prop := finite x -> within 22 (logistic (real F x)) z.

(** A product with a constant that is rounded itself, such as a root, or with its reciprocal. *)
Definition scaled_gives (factor : R) (x z : float F) : Prop :=
  finite x ->
  near 4 (Rabs (real F x) * factor) ((1 + Rabs (real F x)) * (1 + factor)) (real F x * factor) z.

(** ** Softmax *)

Definition is_top (top : float F) (logits : vector) : Prop :=
  In top logits
  /\ Forall (fun l : float F => finite l -> finite top -> real F l <= real F top) logits.

Definition quotient_gives (total power z : float F) : Prop :=
  finite power -> finite total ->
  near 4 (Rabs (real F power / real F total))
    ((1 + Rabs (real F power)) * (1 + Rabs (/ real F total))) (real F power / real F total) z.

(** The largest logit is subtracted first. *)
Definition shifted_gives (top l d : float F) : Prop :=
  finite l -> finite top ->
  near 6 (Rabs (real F l) + Rabs (real F top)) (1 + Rabs (real F l) + Rabs (real F top))
    (real F l - real F top) d.

Definition softmax_gives (logits weights : vector) : Prop :=
  match logits with
  | [] => weights = []
  | _ =>
      exists top shifted powers total,
        is_top top logits /\ Forall2 (shifted_gives top) logits shifted
        /\ Forall2 exp_gives shifted powers /\ sums F (map Number powers) total
        /\ Forall2 (quotient_gives total) powers weights
  end.

(** ** Layer norm *)

Definition total (xs : list R) : R := fold_right Rplus 0 xs.

Definition mean (xs : list R) : R := total xs / INR (length xs).

Definition mean_square (xs : list R) : R := mean (map (fun x => x * x) xs).

Definition variance (xs : list R) : R :=
  let m := mean xs in mean_square (map (fun x => x - m) xs).

Definition epsilon : R := 1 / 100000.

(** The mean may be computed in one pass or in two, one by one (Welford), or joined from those of
    parts, and the variance likewise. *)
Definition mean_gives (x : vector) (m : float F) : Prop :=
  let xs := map (real F) x in
  let n := Z.of_nat (length x) in
  let size := sqrt (mean_square xs) in
  Forall (fun a : float F => finite a) x -> near (n + 24) size (IZR (n + 1) * (1 + size)) (mean xs) m.

Definition variance_gives (x : vector) (s : float F) : Prop :=
  let xs := map (real F) x in
  let n := Z.of_nat (length x) in
  let size := mean_square xs in
  Forall (fun a : float F => finite a) x ->
  near (3 * n + 80) size (IZR (n + 1) * IZR (n + 1) * (1 + size)) (variance xs) s.

Definition root_gives (s r : float F) : Prop :=
  finite s -> 0 < real F s + epsilon ->
  let exact := / sqrt (real F s + epsilon) in near 8 exact (1 + exact) exact r.

(** (x - m) r g + b, whichever way it is multiplied out. *)
Definition normed_gives (m r g b x z : float F) : Prop :=
  finite m -> finite r -> finite g -> finite b -> finite x ->
  let size := Rabs (real F g) * ((Rabs (real F x) + Rabs (real F m)) * Rabs (real F r)) in
  near 6 (size + Rabs (real F b))
    ((1 + Rabs (real F g)) * ((1 + (Rabs (real F x) + Rabs (real F m))) * (1 + Rabs (real F r)))
     + Rabs (real F b))
    (real F g * ((real F x - real F m) * real F r) + real F b) z.

Definition norm_gives (gain shift x y : vector) : Prop :=
  exists m s r,
    mean_gives x m /\ variance_gives x s /\ root_gives s r
    /\ Forall2 (fun '((g, b), a) z => normed_gives m r g b a z) (combine (combine gain shift) x) y.

End Functions.
