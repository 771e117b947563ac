(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again:
   lengthwise certify --check FILE.

   language: parity
   model: 22a3c8a1e8acdbe21f6a82f7e17ecd0f84a87499ca7e5819937b44be72278d68
   verified content: 2ebb9826fe064a0b6ce1003b5a922b6f2b662a6722918934f185473c4b2c46a3

   symbols: 0 is 0, 1 is 1
   classes: 0 is 0, 1 is 1

   It needs the library of lengthwise: coqc -Q proofs/theories Lengthwise FILE *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.

Definition language : language := {|
  num_symbols := 2;
  answers := automaton_of 0
    (map (numbers 1) ["01";
     "10"])
    (numbers 1 "01");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["01";
     "10"])
    (numbers 1 "01").

Definition the_matched :=
  triples (numbers 1 "000101").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["032";
     "132";
     "221"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["0121";
     "1121";
     "2232";
     "3121"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "121") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "121") |}
  ];
  repeat_from := 1;
  empty_class := Some 0
|}.

Definition the_maps := (map (numbers 1) ["01";
     "10"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1021");
  good := 3;
  steps := vector (numbers 1 "33")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "102130"));
  begun := pairs (numbers 1 "102130");
  good := 3;
  steps := vector (numbers 1 "33")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 2;
  outside := 2;
  matched := the_matched;
  levels := [level_0; level_1];
  back_to := 1
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  apply tree_right with evidence.
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions right_at_every_length.
