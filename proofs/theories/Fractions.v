(** Weights of a certificate: rational numbers as text. *)

From Coq Require Import List NArith ZArith QArith.
From Lengthwise Require Import Data Networks.
Import ListNotations.
Local Open Scope N_scope.

(** A number n of [width] digits in base 64 stands for (n - 64^width / 2) / 2^places: floats are
    whole numbers divided by powers of two, and so are written without any rounding. *)
Definition fractions (places : N) (width : nat) (t : text) : list Q :=
  let half := 2 ^ (6 * N.of_nat width - 1) in
  map (fun n => Qmake (Z.of_N n - Z.of_N half) (N.succ_pos (N.pred (2 ^ places))))
    (numbers width t).

Definition rows_of (places : N) (width : nat) (texts : list text) : list (list Q) :=
  map (fractions places width) texts.

(** The bits of a number below 2^count, the highest first. *)
Definition bits (count : nat) (n : N) : list bool :=
  map (fun i => N.testbit n (N.of_nat i)) (rev (seq 0 count)).
