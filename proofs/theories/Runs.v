(** What may come out of a network, where each step may have several results.

    This file has definitions alone. In exact arithmetic a step has one result; in floating point it
    has one for each order of additions, and equal chunks need not be added in the same order. *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Networks.
Import ListNotations.

(** Trees: [composes chunk bits] if the chunk may become this code, and [classifies x c] if class
    [c] may be read off a node. *)
Section Trees.

Variables (places : nat) (composes : list node -> list bool -> Prop)
  (classifies : node -> option N -> Prop).

Definition level_becomes (nodes above : list node) : Prop :=
  Forall2
    (fun chunk x => exists bits,
       composes (repeat Pad (places - length chunk) ++ chunk) bits /\ x = Code bits)
    (chunks places nodes) above.

Fixpoint becomes (levels : nat) (nodes above : list node) : Prop :=
  match levels with
  | O => above = nodes
  | S fewer => exists below, becomes fewer nodes below /\ level_becomes below above
  end.

Definition tree_may_answer (w : word) (found : option N) : Prop :=
  match w with
  | [] => exists bits, composes (repeat Pad places) bits /\ classifies (Code bits) found
  | _ =>
      exists nodes, becomes (depth places (length w)) (map Symbol w) nodes
        /\ match nodes with
           | [root] => classifies root found
           | _ => found = None
           end
  end.

End Trees.

(** Networks that read symbol by symbol. *)
Section Recurrences.

Variables (begins : list bool -> Prop) (follows : list bool -> N -> list bool -> Prop)
  (classifies : list bool -> option N -> Prop).

Fixpoint reads (code : list bool) (w : word) (last : list bool) : Prop :=
  match w with
  | [] => last = code
  | a :: rest => exists after, follows code a after /\ reads after rest last
  end.

Definition recurrence_may_answer (w : word) (found : option N) : Prop :=
  exists first last, begins first /\ reads first w last /\ classifies last found.

End Recurrences.
