(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: d-2
   model: ac47c5cdb6bcc0ffa6cd077aee67e25a67b8cec9bff6f6a646c18e2c25e55954
   verified content: f6f6ad4dc1f9c1d9a7ec3c66ea5d58884c13c0cea22d8916b9c97f6542cfc641

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
     "30";
     "22";
     "21"])
    (numbers 1 "1000");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["12";
     "30";
     "22";
     "21"])
    (numbers 1 "1000").

Definition the_matched :=
  triples (numbers 1 "000101202303").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["067";
     "152";
     "234"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["01177>6717??17>@66";
     "11007007177717>";
     "208;7>";
     "30:947";
     "44477=07477747=";
     "507><7";
     "6766770766A67@7";
     "777777077777777";
     "810070078;;;17>";
     "97004007;9;;7=7";
     ":0007007;;;;777";
     ";7007007;;;;777";
     "<1007007177717>";
     "=70040077=777=7";
     ">700<0077>777>7";
     "?70070077?0?777";
     "@70070077707777";
     "A700700766067@7"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "0211111") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "20010112111211111") |}
  ];
  repeat_from := 1;
  empty_class := Some 1
|}.

Definition the_maps := (map (numbers 1) ["1322";
     "2021";
     "0122";
     "2123";
     "2220";
     "3222";
     "0222";
     "2122";
     "2222";
     "2223"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1122");
  good := 15;
  steps := vector (numbers 1 "6946")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "22334455"));
  begun := pairs (numbers 1 "203242536172");
  good := 15;
  steps := vector (numbers 1 "=64=")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "44788293:7;7<6=9>5"));
  begun := pairs (numbers 1 "104261728092:2;2<0=2>3");
  good := 15;
  steps := vector (numbers 1 "=64=")
|}.

Definition level_3 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1644788293;7<6=9>5"));
  begun := pairs (numbers 1 "104261728092;2<0=2>3?2@2A1");
  good := 15;
  steps := vector (numbers 1 "=64=")
|}.

Definition level_4 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1644788293;7<6=9>5"));
  begun := pairs (numbers 1 "10426162728092;2<0=2>3?2@2");
  good := 15;
  steps := vector (numbers 1 "=64=")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 4;
  outside := 2;
  matched := the_matched;
  levels := [level_0; level_1; level_2; level_3; level_4];
  back_to := 4
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  apply tree_right with evidence.
  vm_cast_no_check (@eq_refl bool true : check_tree network language evidence = true).
Qed.

Print Assumptions right_at_every_length.
