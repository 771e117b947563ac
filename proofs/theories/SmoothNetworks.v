(** Networks with norms, softmax, tanh and the logistic function in floating point.

    This file has definitions alone: what the theorems about these networks speak of, with the sums
    of [FloatNetworks.v] and the functions of [FloatFunctions.v]. *)

From Coq Require Import List NArith ZArith Reals QArith Bool.
From Flocq Require Import Core BinarySingleNaN.
From Lengthwise Require Import Words Networks Runs Floats FloatNetworks FloatFunctions.
Import ListNotations.

(** * Networks with weights of any type *)

Section Shapes.

Variable A : Type.

(** A layer norm multiplies by [gain] and adds [shift]. *)
Record norm_of := { gain : list A; shift : list A }.

Record normed_layer_of := { plain : layer_of A; attention_norm : norm_of; forward_norm : norm_of }.

(** A tree of layers with a norm after each branch. Its chunks, symbols, pad, memory and answer are
    those of [base]. Symbols and the pad are multiplied with the root of [square], and queries with
    1 / root of [head_width]. *)
Record normed_tree_of := {
  base : tree_network_of A;
  normed_layers : list normed_layer_of;
  memory_norm : norm_of;
  square : positive;
  head_width : positive
}.

(** A network that reads symbol by symbol, with tanh or gates. The rows of a network with gates are
    those of reset, of keep, and of the new vector. *)
Record gated_network_of := { cell : recurrent_network_of A; cell_norm : norm_of; has_gates : bool }.

End Shapes.

Arguments gain {A}. Arguments shift {A}. Arguments plain {A}. Arguments attention_norm {A}.
Arguments forward_norm {A}. Arguments base {A}. Arguments normed_layers {A}.
Arguments memory_norm {A}. Arguments square {A}. Arguments head_width {A}. Arguments cell {A}.
Arguments cell_norm {A}. Arguments has_gates {A}.

Definition normed_tree := normed_tree_of Q.
Definition gated_network := gated_network_of Q.

Section Convert.

Variables (A B : Type) (f : A -> B).

Definition convert_norm (n : norm_of A) : norm_of B :=
  {| gain := map f (gain n); shift := map f (shift n) |}.

Definition convert_normed_layer (l : normed_layer_of A) : normed_layer_of B :=
  {| plain := convert_layer _ _ f (plain l); attention_norm := convert_norm (attention_norm l);
     forward_norm := convert_norm (forward_norm l) |}.

Definition convert_normed_tree (net : normed_tree_of A) : normed_tree_of B :=
  {| base := convert_tree f (base net);
     normed_layers := map convert_normed_layer (normed_layers net);
     memory_norm := convert_norm (memory_norm net);
     square := square net; head_width := head_width net |}.

Definition convert_gated (net : gated_network_of A) : gated_network_of B :=
  {| cell := convert_recurrent f (cell net); cell_norm := convert_norm (cell_norm net);
     has_gates := has_gates net |}.

End Convert.

Arguments convert_norm {A B}. Arguments convert_normed_layer {A B}.
Arguments convert_normed_tree {A B}. Arguments convert_gated {A B}.

(** * What networks may do *)

Section Networks.

Variable F : format.

Notation vector := (list (float F)).

Definition normed (n : norm_of (float F)) (x y : vector) : Prop :=
  norm_gives F (gain n) (shift n) x y.

(** What memory recalls, after its norm. *)
Definition normed_recall (m : memory_of (float F)) (n : norm_of (float F)) (code : list bool)
  (x : vector) : Prop :=
  exists read, recall_gives F m code read /\ normed n read x.

Section Tree.

Variable net : normed_tree_of (float F).

(** The logit of a place, and its value: the vector, and the bias of its offset. *)
Definition seen_gives (h : head_of (float F)) (q : vector) (place : vector * float F)
  (found : float F * vector) : Prop :=
  exists k,
    applied F (key h) (fst place) k /\ row_gives F k q [snd place] (fst found)
    /\ applied F (value h) (fst place) (snd found).

Definition attend_gives (h : head_of (float F)) (x : vector) (seen : list vector) (y : vector)
  : Prop :=
  exists scaled q found weights,
    Forall2 (scaled_gives F (/ sqrt (IZR (Zpos (head_width net))))) x scaled
    /\ applied F (query h) scaled q
    /\ Forall2 (seen_gives h q) (combine seen (offset_bias h)) found
    /\ softmax_gives F (map fst found) weights
    /\ Forall2
         (fun i z =>
            row_gives F weights (map (fun place => nth i (snd place) (zero F)) found) [] z)
         (seq 0 (length (value h))) y.

Definition normed_layer_gives (l : normed_layer_of (float F)) (x : vector) (seen : list vector)
  (y : vector) : Prop :=
  exists gathered attended sum h hidden fed sum',
    Forall2 (fun one z => attend_gives one x seen z) (heads (plain l)) gathered
    /\ applied F (output (plain l)) (concat gathered) attended /\ added F x attended sum
    /\ normed (attention_norm l) sum h
    /\ affine_gives F (expand (plain l)) h hidden
    /\ affine_gives F (contract (plain l)) (map (rectified F) hidden) fed /\ added F h fed sum'
    /\ normed (forward_norm l) sum' y.

Fixpoint normed_everywhere (l : normed_layer_of (float F)) (reversed after : list vector) : Prop :=
  match reversed, after with
  | [], [] => True
  | x :: before, y :: others => normed_layer_gives l x reversed y /\ normed_everywhere l before others
  | _, _ => False
  end.

Fixpoint normed_block (these : list (normed_layer_of (float F))) (reversed : list vector)
  (y : vector) : Prop :=
  match these, reversed with
  | l :: [], x :: _ => normed_layer_gives l x reversed y
  | l :: others, _ => exists after, normed_everywhere l reversed after /\ normed_block others after y
  | [], _ => y = []
  end.

Definition root_of_square : R := sqrt (IZR (Zpos (square net))).

Definition node_gives (x : node) (y : vector) : Prop :=
  match x with
  | Pad => Forall2 (scaled_gives F root_of_square) (pad (base net)) y
  | Symbol a => Forall2 (scaled_gives F root_of_square) (nth (N.to_nat a) (symbols (base net)) []) y
  | Code bits => normed_recall (node_memory (base net)) (memory_norm net) bits y
  end.

Definition normed_compose (chunk : list node) (code : list bool) : Prop :=
  exists vectors y,
    Forall2 node_gives chunk vectors /\ normed_block (normed_layers net) (rev vectors) y
    /\ code_gives F (node_memory (base net)) y code.

Definition normed_class (x : node) (found : option N) : Prop :=
  exists y, node_gives x y /\ class_gives F (answer (base net)) y found.

End Tree.

(** ** Networks that read symbol by symbol *)

Section Recurrent.

Variable net : gated_network_of (float F).

Definition gated_recall (code : list bool) (x : vector) : Prop :=
  normed_recall (cell_memory (cell net)) (cell_norm net) code x.

(** One number of a network with gates, from that of its old vector h, those of U h + b, and those
    of the symbol: n + z (h - n) with n = tanh (a_n + r m_n), and r and z logistic functions. *)
Definition gates_give (h m_r m_z m_n a_r a_z a_n y : float F) : Prop :=
  exists s_r s_z r z t n change,
    plus_gives F a_r m_r s_r /\ logistic_gives F s_r r
    /\ plus_gives F a_z m_z s_z /\ logistic_gives F s_z z
    /\ sums F [Product r m_n; Number a_n] t /\ tanh_gives F t n
    /\ plus_gives F h (Bopp n) change
    /\ sums F [Product z change; Number n] y.

Definition nth_of (x : vector) (i : nat) : float F := nth i x (zero F).

Definition cell_gives (h moved symbol y : vector) : Prop :=
  let n := length h in
  if has_gates net then
    Forall2
      (fun i z =>
         gates_give (nth_of h i) (nth_of moved i) (nth_of moved (n + i)) (nth_of moved (2 * n + i))
           (nth_of symbol i) (nth_of symbol (n + i)) (nth_of symbol (2 * n + i)) z)
      (seq 0 n) y
  else exists sum, added F symbol moved sum /\ Forall2 (tanh_gives F) sum y.

Definition gated_step (before : list bool) (a : N) (code : list bool) : Prop :=
  exists h moved y,
    gated_recall before h /\ affine_gives F (recurrent (cell net)) h moved
    /\ cell_gives h moved (nth (N.to_nat a) (symbol_rows (cell net)) []) y
    /\ code_gives F (cell_memory (cell net)) y code.

Definition gated_class (code : list bool) (found : option N) : Prop :=
  exists x, gated_recall code x /\ class_gives F (read_out (cell net)) x found.

End Recurrent.

End Networks.

(** * What may come out: [found] is an answer to the word [w] *)

Definition normed_tree_may_answer (F : format) (net : normed_tree) (w : word) (found : option N)
  : Prop :=
  let net := convert_normed_tree (number F) net in
  tree_may_answer (places (base net)) (normed_compose F net) (normed_class F net) w found.

Definition gated_network_may_answer (F : format) (net : gated_network) (w : word)
  (found : option N) : Prop :=
  let net := convert_gated (number F) net in
  recurrence_may_answer (first_gives F (cell net)) (gated_step F net) (gated_class F net) w found.
