(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-6
   model: f9c9d0c409fc7b18804d319e3f7212fbaeab6379fdf810387a52f845a4760397
   verified content: c71014b6b3b89f9436df46dd0e66abd025edd6a7084f3de5f001e0e3bc06706d

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
    (map (numbers 1) ["12";
     "20";
     "01"])
    (numbers 1 "100");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["12";
     "20";
     "01"])
    (numbers 1 "100").

Definition the_matched :=
  triples (numbers 1 "000101202").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["045";
     "131";
     "212"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["0125255";
     "1125055";
     "2261011";
     "3512";
     "4261";
     "5512022";
     "6510022"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "21111") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "210011") |}
  ];
  repeat_from := 1;
  empty_class := Some 1
|}.

Definition the_maps := (map (numbers 1) ["120";
     "201";
     "012"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1122");
  good := 7;
  steps := vector (numbers 1 "653")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "122031"));
  begun := pairs (numbers 1 "1021324152");
  good := 7;
  steps := vector (numbers 1 "777")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "12205161"));
  begun := pairs (numbers 1 "10215262");
  good := 7;
  steps := vector (numbers 1 "777")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 3;
  outside := 2;
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
