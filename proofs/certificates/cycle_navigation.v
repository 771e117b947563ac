(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: cycle-navigation
   model: f1d135d91315b8b41ad4786fe980926c03011422d4acc16770a4e5e07ba17685
   verified content: 641b33db6b441b431ad3e7ea075a5cf511d491890fed3a47e5c63c2d32ccad01

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
  (map (numbers 1) ["0123";
     "1123";
     "2241";
     "3315"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["0123454";
     "1123454";
     "2241535";
     "3315242";
     "4652313";
     "5534121";
     "6652313"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "12534") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "125343") |}
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
  inside := with_maps the_maps (pairs (numbers 1 "1021324354"));
  begun := pairs (numbers 1 "1021324354");
  good := 31;
  steps := vector (numbers 1 "OOOOO")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "102132435463"));
  begun := pairs (numbers 1 "102132435463");
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
