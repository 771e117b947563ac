(** Which sum of a network with norms, softmax, tanh or gates is too close to 0 for a proof, as
    [Margins.v] says it of others.

    Nothing is proved here, and no theorem needs it. *)

From Coq Require Import List NArith ZArith.
From Lengthwise Require Import Words Data Arrays Networks Weights Floats FloatNetworks.
From Lengthwise Require Import SmoothNetworks Balls FloatWeights SmoothWeights Margins.
Import ListNotations.

Section Networks.

Variables (F : format) (K W : Z).

Definition normed_tree_logits (net : normed_tree_of ball) (x : node) : list ball :=
  affine_balls F K W (answer (base net)) (node_balls F K W net x).

Definition gated_step_numbers (net : gated_network_of ball) (before : code) (a : N) : list ball :=
  let h := gated_recall_balls F K W net before in
  affine_balls F K W (written (cell_memory (cell net)))
    (cell_balls F K net h (affine_balls F K W (recurrent (cell net)) h)
       (map (raised K W) (nth (N.to_nat a) (symbol_rows (cell net)) []))).

Definition gated_logits (net : gated_network_of ball) (bits : code) : list ball :=
  affine_balls F K W (read_out (cell net)) (gated_recall_balls F K W net bits).

End Networks.

Definition rough_gated (F : format) (net : gated_network) : gated_network_of ball :=
  convert_gated (rough_ball F (most_places (gated_rows net)) rough_places) net.

Definition weak_normed_tree_bit (F : format) (net : normed_tree) (num_symbols : N)
  (codes : list code) (T : tree) : option weak :=
  match measured_tree F net with
  | Some (balls, layers, written) =>
      weak_chunk smooth_places
        (normed_numbers F smooth_places rough_places balls layers written) codes T num_symbols
  | None => None
  end.

Definition weak_normed_tree_answer (F : format) (net : normed_tree) (codes : list code) (T : tree)
  : option weak :=
  let balls :=
    convert_normed_tree (rough_ball F (most_places (normed_rows net)) rough_places) net in
  weak_node smooth_places (normed_tree_logits F smooth_places rough_places balls) codes T.

Definition weak_gated_step_bit (F : format) (net : gated_network) (num_symbols : N)
  (codes : list code) (R : recurrence) : option weak :=
  let balls := rough_gated F net in
  weak_step smooth_places (first_numbers F smooth_places rough_places (cell balls))
    (gated_step_numbers F smooth_places rough_places balls) codes R num_symbols.

Definition weak_gated_step_answer (F : format) (net : gated_network) (codes : list code)
  (R : recurrence) : option weak :=
  weak_class smooth_places (gated_logits F smooth_places rough_places (rough_gated F net)) codes R.
