(** The checker of trees: a computation that decides whether an induction over levels goes through.

    A sub-word of C^l symbols that follows others is a node of the interior of level [l]; one at the
    beginning of its word, of 1 to C^l symbols, is a node of its edge. A certificate lists pairs
    (element, state map of the sub-word) of the interior and pairs (element, state after the
    sub-word) of the edge, level by level, until they recur. The checker asks whether the pairs of
    each level lead to no others than those of the next one, and whether answers are right. *)

From Coq Require Import List NArith Arith Bool.
From Lengthwise Require Import Words Data Arrays.
Import ListNotations.
Local Open Scope N_scope.

Record level := {
  table_number : nat;
  inside : list (N * list N);  (** (element, state map as the list of its values) *)
  begun : list (N * N);        (** (element, state) *)
  good : N;                    (** states from which a multiple of C^l symbols can end in the
                                   domain; the bits of the number *)
  steps : N -> N               (** states that C^l symbols can lead to *)
}.

Definition no_level : level :=
  {| table_number := 0; inside := []; begun := []; good := 0; steps := fun _ => 0 |}.

Record evidence := {
  machine : automaton;
  num_states : N;
  outside : N;
  matched : list (N * (N * N));
  levels : list level;
  back_to : nat  (** the level whose pairs follow those of the last one *)
}.

Section Checker.

Variables (T : tree) (L : language) (E : evidence).

Let M := machine E.
Let C := chunk T.
Let states := up_to (num_states E).

Definition level_of (c : nat) : level := nth c (levels E) no_level.

Definition next_level (c : nat) : nat :=
  if (S c <? length (levels E))%nat then S c else back_to E.

Definition in_it (s : N) : bool := class M s <? outside E.

Definition is_good (l : level) (s : N) : bool := N.testbit (good l) s.

(** ** Which states words lead to *)

Definition image (l : level) (set : N) : N :=
  fold_right (fun s found => if N.testbit set s then N.lor found (steps l s) else found) 0 states.

Definition steps_follow (l after : level) : bool :=
  forallb
    (fun s => N.ldiff (Nat.iter C (image l) (N.shiftl 1 s)) (steps after s) =? 0)
    states.

Definition good_follow (l : level) : bool :=
  forallb
    (fun s => implb (in_it s || negb (N.land (steps l s) (good l) =? 0)) (is_good l s))
    states.

(** ** Level 0 *)

Definition symbols_follow (l : level) : bool :=
  let known := index (inside l) in
  let started := index (begun l) in
  forallb
    (fun a =>
       let does := map (fun s => next M s a) states in
       implb (existsb (is_good l) does) (has same_list known (N.succ a) does)
       && implb (is_good l (next M (start M) a)) (has N.eqb started (N.succ a) (next M (start M) a))
       && forallb (fun s => N.testbit (steps l s) (next M s a)) states)
    (symbols_of L).

(** ** From a level to the next one *)

Section Next.

Variables (t : table) (after : level).
Variable known : array (list (list N)).
Variable started : array (list N).
Variable pairs : list (N * array N).

(** All chunks of the interior that begin with [children], last one first, which do [does]. *)
Fixpoint interior_follow (count : nat) (children : list N) (does : list N) : bool :=
  match count with
  | O =>
      if existsb (is_good after) does then
        match interior t (rev children) with
        | Some e => has same_list known e does
        | None => false
        end
      else true
  | S count =>
      forallb
        (fun '(e, map_) => interior_follow count (e :: children) (map (at_ 0 map_) does))
        pairs
  end.

(** All chunks of the edge that begin with [children], last one first, and lead to state [s];
    [room] places are left. A chunk that can be a [whole] word is read off. *)
Fixpoint edge_follow (room : nat) (children : list N) (s : N) (whole : bool) : bool :=
  (if is_good after s then
     match edge t (repeat 0 room ++ rev children) with
     | Some e =>
         has N.eqb started e s
         && (if whole && in_it s then
               match reading t e with
               | Some c => c =? class M s
               | None => false
               end
             else true)
     | None => false
     end
   else true)
  && match room with
     | O => true
     | S room =>
         forallb
           (fun '(e, map_) => edge_follow room (e :: children) (at_ 0 map_ s) true)
           pairs
     end.

End Next.

Definition level_follows (first : bool) (l after : level) : bool :=
  let t := nth (table_number l) (tables T) no_table in
  let known := index (inside after) in
  let started := index (begun after) in
  let pairs := map (fun '(e, does) => (e, array_of does)) (inside l) in
  (table_number after =? following T (table_number l))%nat
  && steps_follow l after
  && good_follow l
  && good_follow after
  && interior_follow t after known pairs C [] states
  && forallb (fun '(e, s) => edge_follow t after started pairs (pred C) [e] s first) (begun l).

Definition levels_follow (count : nat) : bool :=
  forallb
    (fun c => level_follows (c =? 0)%nat (level_of c) (level_of (next_level c)))
    (seq 0 count).

Definition begins_well : bool :=
  (2 <=? C)%nat
  && closed M (num_states E) L
  && matches L M (outside E) (matched E)
  && (table_number (level_of 0) =? 0)%nat
  && good_follow (level_of 0)
  && symbols_follow (level_of 0)
  && (if in_it (start M) then
        match empty_class T with
        | Some c => c =? class M (start M)
        | None => false
        end
      else true).

(** The checker: the words of every length have their class. *)
Definition check_tree : bool :=
  begins_well
  && (1 <=? back_to E)%nat
  && (back_to E <? length (levels E))%nat
  && levels_follow (length (levels E)).

(** The checker for words of at most C ^ (number of levels - 1) symbols. *)
Definition check_tree_up_to : bool :=
  begins_well && levels_follow (pred (length (levels E))).

End Checker.
