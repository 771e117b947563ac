(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: cycle-navigation
   model: b12028a327ba09c0bd87c331c55781c0227c6be804d3353b7b24e21e1f926962
   verified content: 488f430defc8bc111b6b06ffac8caa07c977ae83a62af22a45b0fc91f70f9dc1

   symbols: 0 is 0, 1 is 1, 2 is 2
   classes: 0 is 0, 1 is 1, 2 is 2, 3 is 3, 4 is 4

   It needs the library of lengthwise: coqc -Q proofs/theories Lengthwise FILE *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.

Definition language : language := {|
  num_symbols := 3;
  answers := automaton_of 0
    (map (numbers 1) ["012";
     "130";
     "204";
     "341";
     "423"])
    (numbers 1 "01423");
  domain := automaton_of 0
    (map (numbers 1) ["000"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["012";
     "130";
     "204";
     "341";
     "423"])
    (numbers 1 "01423").

Definition the_matched :=
  triples (numbers 1 "000101202303404").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["0154";
     "1154";
     "2521";
     "3413"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["01734547";
     "11734547";
     "276153";
     "33157471";
     "44573135";
     "55341713";
     "64073135";
     "77015356"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "13452") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "1045253") |}
  ];
  repeat_from := 1;
  empty_class := Some 0
|}.

Definition the_maps := (map (numbers 1) ["01234";
     "13042";
     "20413";
     "34120";
     "42301"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "102132"));
  begun := pairs (numbers 1 "102132");
  good := 31;
  steps := vector (numbers 1 "7;EJL")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1023344251"));
  begun := pairs (numbers 1 "1023344251");
  good := 31;
  steps := vector (numbers 1 "OOOOO")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "103442516273"));
  begun := pairs (numbers 1 "103442516273");
  good := 31;
  steps := vector (numbers 1 "OOOOO")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 5;
  outside := 5;
  matched := the_matched;
  levels := [level_0; level_1; level_2];
  back_to := 2
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  apply tree_right with evidence.
  vm_cast_no_check (@eq_refl bool true : check_tree network language evidence = true).
Qed.

Print Assumptions right_at_every_length.
