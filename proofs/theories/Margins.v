(** Which sum is too close to 0 for a proof: what [check.py] says of a file that is refused.

    Nothing is proved here, and no theorem needs it. *)

From Coq Require Import List NArith ZArith Bool.
From Lengthwise Require Import Words Data Arrays Networks Weights Floats FloatNetworks.
From Lengthwise Require Import Balls FloatWeights.
Import ListNotations.

(** A sum: the elements that it is made of, its number, and its ball with K places. *)
Record weak := { elements : list N; which : N; sum_of : ball; kept : Z }.

Definition weak_number (numbers : list ball) : option (N * ball) :=
  find (fun '(_, b) => match sign_of b with Some _ => false | None => true end)
    (combine (map N.of_nat (seq 0 (length numbers))) numbers).

Definition centre (b : ball) : Z := match b with Some (c, _) => c | None => 0 end.

Definition less (x y : ball) : ball :=
  match x, y with Some (c, r), Some (d, s) => Some (c - d, r + s)%Z | _, _ => None end.

(** The largest logit less another that may be larger. *)
Definition weak_logit (logits : list ball) : option (N * ball) :=
  let numbered := combine (map N.of_nat (seq 0 (length logits))) logits in
  let '(first, b) :=
    fold_left (fun best this => if (centre (snd best) <? centre (snd this))%Z then this else best)
      numbered (0%N, hd None logits) in
  find (fun '(_, d) => match sign_of d with Some true => false | _ => true end)
    (map (fun '(i, other) => (i, less b other))
       (filter (fun '(i, _) => negb (i =? first)%N) numbered)).

(** The first of some things that has a weak sum. *)
Fixpoint first_weak {A} (name : A -> list N) (weakest : A -> option (N * ball)) (kept : Z)
  (these : list A) : option weak :=
  match these with
  | [] => None
  | x :: these =>
      match weakest x with
      | Some (i, b) => Some {| elements := name x; which := i; sum_of := b; kept := kept |}
      | None => first_weak name weakest kept these
      end
  end.

Definition has_entry (t : table) (chunk : list N) : bool :=
  match interior t chunk, edge t chunk with None, None => false | _, _ => true end.

(** Of a tree: the numbers whose signs are the code of a chunk of nodes, and the logits of a node. *)
Section Tree.

Variables (K : Z) (numbers_of : list node -> list ball) (logits_of : node -> list ball).
Variables (codes : list code) (T : tree).

Definition weak_chunk (num_symbols : N) : option weak :=
  let bits_of (of_element : N -> node) chunk := weak_number (numbers_of (map of_element chunk)) in
  let chunks_of t most := filter (has_entry t) (lists_of (chunk T) (up_to (N.succ most))) in
  match tables T with
  | [] => None
  | first :: others =>
      match first_weak (fun x => x) (bits_of leaf) K (chunks_of first num_symbols) with
      | Some found => Some found
      | None =>
          first_weak (fun x => x) (bits_of (inner codes)) K
            (flat_map (fun t => chunks_of t (num_codes codes)) others)
      end
  end.

Definition weak_node : option weak :=
  first_weak (fun e => [e]) (fun e => weak_logit (logits_of (inner codes e)))
    K (filter (fun e => existsb (fun t => match reading t e with Some _ => true | None => false end)
                          (tables T))
         (map N.succ (up_to (num_codes codes)))).

End Tree.

(** Of a recurrence: those of the empty word, of a step, and the logits of a code. *)
Section Recurrence.

Variables (K : Z) (first_numbers : list ball) (numbers_of : code -> N -> list ball).
Variables (logits_of : code -> list ball) (codes : list code) (R : recurrence).

Definition weak_step (num_symbols : N) : option weak :=
  match weak_number first_numbers with
  | Some (i, b) => Some {| elements := []; which := i; sum_of := b; kept := K |}
  | None =>
      first_weak (fun '(e, a) => [e; a])
        (fun '(e, a) => weak_number (numbers_of (code_at codes e) a))
        K (filter (fun '(e, a) => match next_code R e a with Some _ => true | None => false end)
             (flat_map (fun e => map (fun a => (e, a)) (up_to num_symbols))
                (up_to (num_codes codes))))
  end.

Definition weak_class : option weak :=
  first_weak (fun e => [e]) (fun e => weak_logit (logits_of (code_at codes e)))
    K (filter (fun e => match code_class R e with Some _ => true | None => false end)
         (up_to (num_codes codes))).

End Recurrence.

(** * Networks of sums and maxima *)

Section Networks.

Variables (F : format) (K W : Z).

Definition tree_numbers (net : tree_network_of ball) (nodes : list node) : list ball :=
  affine_balls F K W (written (node_memory net))
    (block_balls F K W net (layers net) (rev (map (vector_balls F K W net) nodes))).

Definition tree_logits (net : tree_network_of ball) (x : node) : list ball :=
  affine_balls F K W (answer net) (vector_balls F K W net x).

Definition first_numbers (net : recurrent_network_of ball) : list ball :=
  affine_balls F K W (written (cell_memory net)) (map (raised K W) (first_vector net)).

Definition step_numbers (net : recurrent_network_of ball) (before : code) (a : N) : list ball :=
  affine_balls F K W (written (cell_memory net))
    (map rectified_ball
       (added_balls F K (map (raised K W) (nth (N.to_nat a) (symbol_rows net) []))
          (affine_balls F K W (recurrent net) (recall_balls F K W (cell_memory net) before)))).

Definition class_logits (net : recurrent_network_of ball) (bits : code) : list ball :=
  affine_balls F K W (read_out net) (recall_balls F K W (cell_memory net) bits).

End Networks.

Definition weak_tree_bit (F : format) (net : tree_network) (num_symbols : N) (codes : list code)
  (T : tree) : option weak :=
  let W := most_places (tree_rows net) in
  let K := kept_places F W in
  let balls := convert_tree (weight_ball F W) net in
  weak_chunk K (tree_numbers F K W balls) codes T num_symbols.

Definition weak_tree_answer (F : format) (net : tree_network) (codes : list code) (T : tree)
  : option weak :=
  let W := most_places (tree_rows net) in
  let K := kept_places F W in
  weak_node K (tree_logits F K W (convert_tree (weight_ball F W) net)) codes T.

Definition weak_step_bit (F : format) (net : recurrent_network) (num_symbols : N)
  (codes : list code) (R : recurrence) : option weak :=
  let W := most_places (recurrent_rows net) in
  let K := kept_places F W in
  let balls := convert_recurrent (weight_ball F W) net in
  weak_step K (first_numbers F K W balls) (step_numbers F K W balls) codes R num_symbols.

Definition weak_step_answer (F : format) (net : recurrent_network) (codes : list code)
  (R : recurrence) : option weak :=
  let W := most_places (recurrent_rows net) in
  let K := kept_places F W in
  weak_class K (class_logits F K W (convert_recurrent (weight_ball F W) net)) codes R.
