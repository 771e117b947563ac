(** Networks in exact arithmetic: what the theorems about weights speak of.

    This file has definitions alone. Weights are rational numbers, and a network is sums, products
    and comparisons of them: nothing is rounded. Whoever reads it and [Words.v] knows what the
    theorems claim. A vector is the list of its coordinates, and a matrix is a list of rows. *)

From Coq Require Import List NArith Arith QArith.
From Lengthwise Require Import Words.
Import ListNotations.

Definition coordinates := list Q.

(** Networks with weights of any type. *)
Section Shapes.

Variable A : Type.

Record linear_of := { weight : list (list A); bias : list A }.

(** Attention from the last place of a chunk: [offset_bias] has a number for the place itself, one
    for the place before it, and so on. *)
Record head_of := { query : list (list A); key : list (list A); value : list (list A);
                    offset_bias : list A }.

Record layer_of := { heads : list head_of; output : list (list A); expand : linear_of;
                     contract : linear_of }.

(** Binary memory: numbers whose signs are [written], and what is [recalled] from them, where a bit
    is read as [on] or [off]. *)
Record memory_of := { written : linear_of; recalled : linear_of; on : A; off : A }.

(** A tree takes chunks of [places] vectors, fills them with [pad], and multiplies queries with
    [query_scale], 1 / root of the width of a head, and weights of attention with [share],
    1 / [places]. *)
Record tree_network_of := {
  places : nat;
  symbols : list (list A);
  pad : list A;
  query_scale : A;
  share : A;
  layers : list layer_of;
  node_memory : memory_of;
  answer : linear_of
}.

(** A network that reads symbol by symbol. *)
Record recurrent_network_of := {
  first_vector : list A;
  symbol_rows : list (list A);
  recurrent : linear_of;
  cell_memory : memory_of;
  read_out : linear_of
}.

End Shapes.

Arguments weight {A}. Arguments bias {A}.
Arguments query {A}. Arguments key {A}. Arguments value {A}. Arguments offset_bias {A}.
Arguments heads {A}. Arguments output {A}. Arguments expand {A}. Arguments contract {A}.
Arguments written {A}. Arguments recalled {A}. Arguments on {A}. Arguments off {A}.
Arguments places {A}. Arguments symbols {A}. Arguments pad {A}. Arguments query_scale {A}.
Arguments share {A}. Arguments layers {A}. Arguments node_memory {A}. Arguments answer {A}.
Arguments first_vector {A}. Arguments symbol_rows {A}. Arguments recurrent {A}.
Arguments cell_memory {A}. Arguments read_out {A}.

Definition linear := linear_of Q.
Definition head := head_of Q.
Definition layer := layer_of Q.
Definition memory := memory_of Q.
Definition tree_network := tree_network_of Q.
Definition recurrent_network := recurrent_network_of Q.

(** * What networks do

    [add] and [mul] are the sum and the product of numbers: the theorems are about [Qplus] and
    [Qmult], and checkers use others, which give the same numbers in another form. *)

Section Arithmetic.

Variables (add mul : Q -> Q -> Q).

Fixpoint dot (x y : coordinates) : Q :=
  match x, y with
  | a :: x, b :: y => add (mul a b) (dot x y)
  | _, _ => 0%Q
  end.

Fixpoint plus (x y : coordinates) : coordinates :=
  match x, y with
  | a :: x, b :: y => add a b :: plus x y
  | _, _ => []
  end.

Fixpoint sum (vectors : list coordinates) : coordinates :=
  match vectors with
  | [] => []
  | [x] => x
  | x :: others => plus x (sum others)
  end.

Definition times (factor : Q) (x : coordinates) : coordinates := map (mul factor) x.

Definition apply (rows : list coordinates) (x : coordinates) : coordinates := map (fun row => dot row x) rows.

Definition affine (f : linear) (x : coordinates) : coordinates := plus (apply (weight f) x) (bias f).

(** max(a, 0) *)
Definition relu (a : Q) : Q := if Qle_bool 0 a then a else 0%Q.

(** ** Memory and classes *)

(** A bit is 1 if its number is 0 or more. *)
Definition code_of (m : memory) (x : coordinates) : list bool :=
  map (Qle_bool 0) (affine (written m) x).

Definition recall (m : memory) (code : list bool) : coordinates :=
  affine (recalled m) (map (fun bit : bool => if bit then on m else off m) code).

(** The class whose number is larger than all others; none if there is no such class. *)
Definition is_largest (x : coordinates) (i : nat) : bool :=
  forallb (fun j => (j =? i)%nat || negb (Qle_bool (nth i x 0%Q) (nth j x 0%Q)))
    (seq 0 (length x)).

Definition largest (x : coordinates) : option N :=
  option_map N.of_nat (find (is_largest x) (seq 0 (length x))).

(** ** Trees *)

Section Tree.

Variable net : tree_network.

(** What one head gathers for the first of some places, from it and those after it in the list;
    places stand in reverse, the last one of the chunk first. *)
Definition gather (h : head) (x : coordinates) (seen : list coordinates) : coordinates :=
  let q := apply (query h) (times (query_scale net) x) in
  let weighted '(v, r) :=
    times (mul (share net) (relu (add (dot (apply (key h) v) q) r))) (apply (value h) v) in
  sum (map weighted (combine seen (offset_bias h))).

Definition layer_at (l : layer) (x : coordinates) (seen : list coordinates) : coordinates :=
  let h := plus x (apply (output l) (concat (map (fun h => gather h x seen) (heads l)))) in
  plus h (affine (contract l) (map relu (affine (expand l) h))).

Fixpoint everywhere (l : layer) (reversed : list coordinates) : list coordinates :=
  match reversed with
  | [] => []
  | x :: before => layer_at l x reversed :: everywhere l before
  end.

(** The vector after all layers at the first of some places in reverse. *)
Fixpoint block (these : list layer) (reversed : list coordinates) : coordinates :=
  match these, reversed with
  | l :: [], x :: _ => layer_at l x reversed
  | l :: others, _ => block others (everywhere l reversed)
  | [], _ => []
  end.

(** A node is a pad, a symbol, or the code of the chunk that became it. *)
Inductive node := Pad | Symbol (a : N) | Code (bits : list bool).

Definition vector_of (x : node) : coordinates :=
  match x with
  | Pad => pad net
  | Symbol a => nth (N.to_nat a) (symbols net) []
  | Code bits => recall (node_memory net) bits
  end.

(** The code that a chunk of nodes becomes. *)
Definition compose (chunk : list node) : list bool :=
  code_of (node_memory net) (block (layers net) (rev (map vector_of chunk))).

Definition class_of_node (x : node) : option N := largest (affine (answer net) (vector_of x)).

(** One level: cut into chunks from the right, fill the first one with pads, and compose each. *)
Definition level_above (nodes : list node) : list node :=
  map (fun chunk => Code (compose (repeat Pad (places net - length chunk) ++ chunk)))
    (chunks (places net) nodes).

(** The class that a network gives to a word: as many levels as its length needs, then the class
    of the one node that is left. *)
Definition network_class_with (w : word) : option N :=
  match w with
  | [] => class_of_node (Code (compose (repeat Pad (places net))))
  | _ =>
      match Nat.iter (depth (places net) (length w)) level_above (map Symbol w) with
      | [root] => class_of_node root
      | _ => None
      end
  end.

End Tree.

(** ** Networks that read symbol by symbol *)

Section Recurrent.

Variable net : recurrent_network.

Definition first_bits : list bool := code_of (cell_memory net) (first_vector net).

Definition next_bits (code : list bool) (a : N) : list bool :=
  code_of (cell_memory net)
    (map relu
       (plus (nth (N.to_nat a) (symbol_rows net) [])
          (affine (recurrent net) (recall (cell_memory net) code)))).

Definition class_of_code (code : list bool) : option N :=
  largest (affine (read_out net) (recall (cell_memory net) code)).

Definition recurrent_class_with (w : word) : option N :=
  class_of_code (fold_left next_bits w first_bits).

End Recurrent.

End Arithmetic.

Definition network_class : tree_network -> word -> option N := network_class_with Qplus Qmult.

Definition recurrent_network_class : recurrent_network -> word -> option N :=
  recurrent_class_with Qplus Qmult.
