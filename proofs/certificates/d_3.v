(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: d-3
   model: 7a80d107882a31bca038cdf6f6f809f4ce7fa036fd8a6c567ab9cd1f4c762b95
   verified content: 40fb321db89ba8091ef47c2cdbfd60e9a17ade338da67d073d218b4345a1d2b6

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
     "41";
     "23"])
    (numbers 1 "10000");
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
     "41";
     "23"])
    (numbers 1 "10000").

Definition the_matched :=
  triples (numbers 1 "000101202303404").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["076";
     "132";
     "254"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["011;:::71::;1::::::C1:G:::";
     "110;00:01::;1::::::01::";
     "20<36=";
     "3:;:83D0::::;;83E3;0::9";
     "40>?:@";
     "50=9>A";
     "666B:::06::B6::::::06::";
     "7:7C:7:07C::77:::7:0:7:";
     "810300:089:;8E:::E:01E:";
     "9:0:00:0::::::E9E9:0::9";
     "::0:00:0:::::::::::0:::";
     ";:0:00D0::::;;D;:;;0:::";
     "<103006089:;<=6B:=B01E:";
     "=:090060E9::==6B:=B0:E:";
     ">60?00:0>F:B>@:::@:06@:";
     "?:0:0060::::BB>?@?B0::F";
     "@:0F00:0@F::@@:::@:0:@:";
     "A:090060E9::==>?@AB0:EF";
     "B:0:0060::::BB6B:BB0:::";
     "C:0:00:0::::::7C7C:0::C";
     "D10;00:01::;1::::::01::";
     "E:0900:0E9::EE:::E:0:E:";
     "F:0:00:0::::::@F@F:0::F";
     "G:0:00:0::::::H:H::0:::";
     "H:0I00:0HG::HE:::H:0:H:";
     "I:0:00:0::::::EIEI:0::9"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "0211111") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "2010011211121111111211111") |}
  ];
  repeat_from := 1;
  empty_class := Some 1
|}.

Definition the_maps := (map (numbers 1) ["13242";
     "20213";
     "01232";
     "21234";
     "22201";
     "34222";
     "01222";
     "21232";
     "22202";
     "22221";
     "22222";
     "22234";
     "24222";
     "32222";
     "02222";
     "21222";
     "22224";
     "22232"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1122");
  good := 31;
  steps := vector (numbers 1 "694B<")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "22354453"));
  begun := pairs (numbers 1 "203342526271");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "3568869<::;=<2=7>4?;@9A3"));
  begun := pairs (numbers 1 "103362718092:2;3<0=2>2?2@2A2B2C4");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition level_3 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "3568869<::;=<2=7>4?;@9A3BAD>E?F@"));
  begun := pairs (numbers 1 "103362718092:2;3<0=2>2?2@2A2B2C4D0E2F2");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition level_4 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1>3568869<::;=<2=7>4?;@9A3BAD>E?F@"));
  begun := pairs (numbers 1 "103362718092:2;3<0=2>2?2@2A2B2C4D0E2F2G2");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition level_5 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1>3568869<::;=<2=7>4?;@9A3BAD>E?F@"));
  begun := pairs (numbers 1 "103362718092:2;3<0=2>2?2@2A2B2C4D0E2F2G2H2");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition level_6 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1>3568869<::;=<2=7>4?;@9A3BAD>E?F@"));
  begun := pairs (numbers 1 "103362718092:2;3<0=2>2?2@2A2B2C4D0E2F2G2H2I2");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 5;
  outside := 2;
  matched := the_matched;
  levels := [level_0; level_1; level_2; level_3; level_4; level_5; level_6];
  back_to := 6
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  apply tree_right with evidence.
  vm_cast_no_check (@eq_refl bool true : check_tree network language evidence = true).
Qed.

Print Assumptions right_at_every_length.
