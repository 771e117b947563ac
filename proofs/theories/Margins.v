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

Section Tree.

Variables (F : format) (net : tree_network) (num_symbols : N) (codes : list code) (T : tree).

Let W := most_places (tree_rows net).
Let K := kept_places F W.
Let balls := convert_tree (weight_ball F W) net.

Definition weak_tree_bit : option weak :=
  let bits_of (of_element : N -> node) chunk :=
    let nodes := map (vector_balls F K W balls) (map of_element chunk) in
    weak_number (affine_balls F K W (written (node_memory balls))
      (block_balls F K W balls (layers balls) (rev nodes))) in
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

Definition weak_tree_answer : option weak :=
  first_weak (fun e => [e])
    (fun e => weak_logit (affine_balls F K W (answer balls)
                            (vector_balls F K W balls (inner codes e))))
    K (filter (fun e => existsb (fun t => match reading t e with Some _ => true | None => false end)
                          (tables T))
         (map N.succ (up_to (num_codes codes)))).

End Tree.

Section Recurrence.

Variables (F : format) (net : recurrent_network) (num_symbols : N) (codes : list code)
  (R : recurrence).

Let W := most_places (recurrent_rows net).
Let K := kept_places F W.
Let balls := convert_recurrent (weight_ball F W) net.

Definition weak_step_bit : option weak :=
  let write x := weak_number (affine_balls F K W (written (cell_memory balls)) x) in
  match write (map (raised K W) (first_vector balls)) with
  | Some (i, b) => Some {| elements := []; which := i; sum_of := b; kept := K |}
  | None =>
      first_weak (fun '(e, a) => [e; a])
        (fun '(e, a) =>
           write (map rectified_ball
             (added_balls F K (map (raised K W) (nth (N.to_nat a) (symbol_rows balls) []))
                (affine_balls F K W (recurrent balls)
                   (recall_balls F K W (cell_memory balls) (code_at codes e))))))
        K (filter (fun '(e, a) => match next_code R e a with Some _ => true | None => false end)
             (flat_map (fun e => map (fun a => (e, a)) (up_to num_symbols))
                (up_to (num_codes codes))))
  end.

Definition weak_step_answer : option weak :=
  first_weak (fun e => [e])
    (fun e => weak_logit (affine_balls F K W (read_out balls)
                            (recall_balls F K W (cell_memory balls) (code_at codes e))))
    K (filter (fun e => match code_class R e with Some _ => true | None => false end)
         (up_to (num_codes codes))).

End Recurrence.
