(** Networks in floating point: what the theorems about running networks speak of.

    This file has definitions alone. Each number of the network is one sum of products and numbers
    ([row_gives] of [Floats.v]), in any order of additions, which may differ from one time to the
    next. A bias is a term of the sum that it is added to. A residual connection is one more
    addition ([plus_gives]). A division by [places], a power of two, is the multiplication by
    [share]: both round the same number. *)

From Coq Require Import List NArith Arith QArith Bool.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Words Networks Runs Floats.
Import ListNotations.

(** * Networks with converted weights *)

Section Convert.

Variables (A B : Type) (f : A -> B).

Definition convert_linear (l : linear_of A) : linear_of B :=
  {| weight := map (map f) (weight l); bias := map f (bias l) |}.

Definition convert_head (h : head_of A) : head_of B :=
  {| query := map (map f) (query h); key := map (map f) (key h); value := map (map f) (value h);
     offset_bias := map f (offset_bias h) |}.

Definition convert_layer (l : layer_of A) : layer_of B :=
  {| heads := map convert_head (heads l); output := map (map f) (output l);
     expand := convert_linear (expand l); contract := convert_linear (contract l) |}.

Definition convert_memory (m : memory_of A) : memory_of B :=
  {| written := convert_linear (written m); recalled := convert_linear (recalled m);
     on := f (on m); off := f (off m) |}.

Definition convert_tree (net : tree_network_of A) : tree_network_of B :=
  {| places := places net; symbols := map (map f) (symbols net); pad := map f (pad net);
     query_scale := f (query_scale net); share := f (share net);
     layers := map convert_layer (layers net); node_memory := convert_memory (node_memory net);
     answer := convert_linear (answer net) |}.

Definition convert_recurrent (net : recurrent_network_of A) : recurrent_network_of B :=
  {| first_vector := map f (first_vector net); symbol_rows := map (map f) (symbol_rows net);
     recurrent := convert_linear (recurrent net); cell_memory := convert_memory (cell_memory net);
     read_out := convert_linear (read_out net) |}.

End Convert.

Arguments convert_tree {A B}.
Arguments convert_recurrent {A B}.

(** * What networks may do *)

Section Networks.

Variable F : format.

Notation vector := (list (float F)).

(** The rows of a matrix times a vector. *)
Definition applied (rows : list vector) (x y : vector) : Prop :=
  Forall2 (fun row z => row_gives F row x [] z) rows y.

(** The same plus a vector, a number of it for each row. *)
Definition applied_plus (rows : list vector) (x more y : vector) : Prop :=
  Forall2 (fun '(row, a) z => row_gives F row x [a] z) (combine rows more) y.

(** The sum of two vectors. *)
Definition added (x y z : vector) : Prop :=
  Forall2 (fun '(a, b) c => plus_gives F a b c) (combine x y) z.

Definition affine_gives (f : linear_of (float F)) (x y : vector) : Prop :=
  applied_plus (weight f) x (bias f) y.

(** ** Memory and classes *)

Definition bits_of (numbers : vector) : list bool := map (Bleb (zero F)) numbers.

Definition code_gives (m : memory_of (float F)) (x : vector) (code : list bool) : Prop :=
  exists numbers, affine_gives (written m) x numbers /\ code = bits_of numbers.

Definition recall_gives (m : memory_of (float F)) (code : list bool) (x : vector) : Prop :=
  affine_gives (recalled m) (map (fun bit : bool => if bit then on m else off m) code) x.

(** The class whose number is larger than all others; none if there is no such class. *)
Definition float_largest (x : vector) : option N :=
  option_map N.of_nat
    (find
       (fun i =>
          forallb (fun j => (j =? i)%nat || Bltb (nth j x (zero F)) (nth i x (zero F)))
            (seq 0 (length x)))
       (seq 0 (length x))).

Definition class_gives (f : linear_of (float F)) (x : vector) (found : option N) : Prop :=
  exists logits, affine_gives f x logits /\ found = float_largest logits.

(** ** Trees *)

Section Tree.

Variable net : tree_network_of (float F).

(** The weight of a place, and its value: the vector, and the bias of its offset. *)
Definition place_gives (h : head_of (float F)) (q : vector) (place : vector * float F)
  (found : float F * vector) : Prop :=
  exists k logit,
    applied (key h) (fst place) k /\ row_gives F k q [snd place] logit
    /\ sums F [Product (share net) (rectified F logit)] (fst found)
    /\ applied (value h) (fst place) (snd found).

(** What one head gathers for the first of some places; the last one of the chunk stands first. *)
Definition gather_gives (h : head_of (float F)) (x : vector) (seen : list vector) (y : vector)
  : Prop :=
  exists scaled q found,
    Forall2 (fun a z => sums F [Product (query_scale net) a] z) x scaled
    /\ applied (query h) scaled q
    /\ Forall2 (place_gives h q) (combine seen (offset_bias h)) found
    /\ Forall2
         (fun i z =>
            row_gives F (map fst found) (map (fun place => nth i (snd place) (zero F)) found) [] z)
         (seq 0 (length (value h))) y.

Definition layer_gives (l : layer_of (float F)) (x : vector) (seen : list vector) (y : vector)
  : Prop :=
  exists gathered attended h hidden fed,
    Forall2 (fun one z => gather_gives one x seen z) (heads l) gathered
    /\ applied (output l) (concat gathered) attended /\ added x attended h
    /\ affine_gives (expand l) h hidden
    /\ affine_gives (contract l) (map (rectified F) hidden) fed /\ added h fed y.

Fixpoint everywhere_gives (l : layer_of (float F)) (reversed after : list vector) : Prop :=
  match reversed, after with
  | [], [] => True
  | x :: before, y :: others => layer_gives l x reversed y /\ everywhere_gives l before others
  | _, _ => False
  end.

Fixpoint block_gives (these : list (layer_of (float F))) (reversed : list vector) (y : vector)
  : Prop :=
  match these, reversed with
  | l :: [], x :: _ => layer_gives l x reversed y
  | l :: others, _ => exists after, everywhere_gives l reversed after /\ block_gives others after y
  | [], _ => y = []
  end.

Definition vector_gives (x : node) (y : vector) : Prop :=
  match x with
  | Pad => y = pad net
  | Symbol a => y = nth (N.to_nat a) (symbols net) []
  | Code bits => recall_gives (node_memory net) bits y
  end.

Definition compose_gives (chunk : list node) (code : list bool) : Prop :=
  exists vectors y,
    Forall2 vector_gives chunk vectors /\ block_gives (layers net) (rev vectors) y
    /\ code_gives (node_memory net) y code.

Definition node_class_gives (x : node) (found : option N) : Prop :=
  exists y, vector_gives x y /\ class_gives (answer net) y found.

End Tree.

(** ** Networks that read symbol by symbol *)

Section Recurrent.

Variable net : recurrent_network_of (float F).

Definition first_gives (code : list bool) : Prop :=
  code_gives (cell_memory net) (first_vector net) code.

Definition step_gives (before : list bool) (a : N) (code : list bool) : Prop :=
  exists x moved y,
    recall_gives (cell_memory net) before x /\ affine_gives (recurrent net) x moved
    /\ added (nth (N.to_nat a) (symbol_rows net) []) moved y
    /\ code_gives (cell_memory net) (map (rectified F) y) code.

Definition code_class_gives (code : list bool) (found : option N) : Prop :=
  exists x, recall_gives (cell_memory net) code x /\ class_gives (read_out net) x found.

End Recurrent.

End Networks.

(** * What may come out: [found] is an answer to the word [w] *)

Definition float_network_may_answer (F : format) (net : tree_network) (w : word) (found : option N)
  : Prop :=
  let net := convert_tree (number F) net in
  tree_may_answer (places net) (compose_gives F net) (node_class_gives F net) w found.

Definition float_recurrence_may_answer (F : format) (net : recurrent_network) (w : word)
  (found : option N) : Prop :=
  let net := convert_recurrent (number F) net in
  recurrence_may_answer (first_gives F net) (step_gives F net) (code_class_gives F net) w found.
