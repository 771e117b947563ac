(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-3
   model: fb4074a7b26fc1980790d9e5d3a63385d0977b9f8dfb97f04194425f6d8205ae
   verified content: 22d806595994fda90b5a4f47e3356b8c5a77305c85a1a749691210e3edb98da6

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
     "20";
     "34";
     "21";
     "44"])
    (numbers 1 "11010");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["01";
     "20";
     "34";
     "21";
     "44"])
    (numbers 1 "11010").

Definition the_matched :=
  triples (numbers 1 "000101202303404").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["016";
     "125";
     "234"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["011A166116?1A1B??AB?B?AA";
     "111A166116?1A1B??AB?B?AA";
     "272<759779?7<=>??<D?D?FF";
     "3:3@:9E::E?:@7D??@C?C?<<";
     "4083;6";
     "5?>=5??=>5=5F???F??>>5??";
     "6?B16??1B616A???A??BB6??";
     "777<099779?7<7D??<D?D?<<";
     "878<069779?7<1B??<D?D?AA";
     "9?D70??7D979<???<??DD9??";
     ":::@0EE::E?:@:C??@C?C?@@";
     ";183066789:;<1B?@ABCDEAA";
     "<?<?09???????7D???????<<";
     "===F055==5?=F=>??F>?>?FF";
     ">=>F0?5==5?=F????F>?>???";
     "????0???????????????????";
     "@?@?0E???????:C???????@@";
     "A?A?06???????1B???????AA";
     "B1BA0?6116?1A????AB?B???";
     "C:C@0?E::E?:@????@C?C???";
     "D7D<0?9779?7<????<D?D???";
     "E?C:0??:CE:E@???@??CCE??";
     "F?G?05???????=>???????FF";
     "G?G?05???????=>???????FF"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "221222") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "22102222212122111212111") |}
  ];
  repeat_from := 1;
  empty_class := Some 1
|}.

Definition the_maps := (map (numbers 1) ["02324";
     "10414";
     "01404";
     "03234";
     "14144";
     "20424";
     "00404";
     "03404";
     "04044";
     "11414";
     "14414";
     "22424";
     "34344";
     "40444";
     "42444";
     "44444";
     "04404";
     "24244";
     "24424";
     "33434";
     "34434";
     "41444";
     "43444"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1021");
  good := 31;
  steps := vector (numbers 1 "35H6@")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "23354254"));
  begun := pairs (numbers 1 "102032405161");
  good := 31;
  steps := vector (numbers 1 "7KFM@")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "2335546:768799:=;2<;=8><??@>"));
  begun := pairs (numbers 1 "1020325161708091:4;0<2=0>3?4@4A2B3");
  good := 31;
  steps := vector (numbers 1 "OOOO@")
|}.

Definition level_3 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1@2335546:768799:=;2<;=8><??@>ABBDCFDCEEFA"));
  begun := pairs (numbers 1 "1020325161708091:4;0<2=0>3?4@4A2B3C4D3E4F2");
  good := 31;
  steps := vector (numbers 1 "OOOO@")
|}.

Definition level_4 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1@2335546:768799:=;2<;=8><??@>ABBDCFDCEEFAGA"));
  begun := pairs (numbers 1 "1020325161708091:4;0<2=0>3?4@4A2B3C4D3E4F2G2");
  good := 31;
  steps := vector (numbers 1 "OOOO@")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 5;
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
