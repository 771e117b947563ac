(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-6
   model: 082b0f6f9c0a8c65e94ee528d47ea11d19658218a442d92dd9192f9ffe2bd3af
   verified content: 2b66d574f03145ad498c96b4b798a136c8cc748ca97fbe7a8cd89788ae063f54

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
  (map (numbers 1) ["032";
     "121";
     "213"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["0123";
     "1123";
     "2231";
     "3312"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "211") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "211") |}
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
  inside := with_maps the_maps (pairs (numbers 1 "122130"));
  begun := pairs (numbers 1 "102231");
  good := 7;
  steps := vector (numbers 1 "777")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 3;
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
  vm_cast_no_check (@eq_refl bool true : check_tree network language evidence = true).
Qed.

Print Assumptions right_at_every_length.
