(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: d-3
   model: e628807462c9576d14459734fbbcde774f4a0ffa37c0179a89b17e4aaa682342
   verified content: 74ea29a472b267db36ba1594ca20bcb5c3f406c86739df8f075f7c1c9fcc0ad2

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
  (map (numbers 1) ["067";
     "143";
     "252"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["0171=767771C7=7?777C7";
     "1171=70777177=70777";
     "2<72>807782B7A70877";
     "31<3490779:;<=A0@A7";
     "47:=7407@=7717407=;";
     "5729;50789@;<7>0@AB";
     "6776?607766?7770677";
     "7777770777777770777";
     "8778B807788B7770877";
     "97<9;90779@;<7A0@A7";
     ":17:4@077@:;7=70@77";
     ";7@77;07@77777;077;";
     "<<7<A70777<77A70777";
     "=71=7=077=7717=07=7";
     ">72A7>078A77<7>07AB";
     "?7677?07677777?077?";
     "@77@;@077@@;7770@77";
     "A7<A7A077A77<7A07A7";
     "B7877B07877777B077B";
     "C77777077D7777C0777";
     "D777770777777770777"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "0121111") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "21211111121111111111") |}
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
  inside := with_maps the_maps (pairs (numbers 1 "24324553"));
  begun := pairs (numbers 1 "223043526172");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "243245537:8997:6;<<8==>;"));
  begun := pairs (numbers 1 "102230435261728292:0;2<2=3>2?4");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition level_3 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1>243245537:8997:6;<<8==>;@?AAB@"));
  begun := pairs (numbers 1 "102230435261728292:0;2<2=3>2?4@2A2B2C2");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
|}.

Definition level_4 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1>243245537:8997:6;<<8==>;@?AAB@"));
  begun := pairs (numbers 1 "102230435261728292:0;2<2=3>2?4@2A2B2C2D2");
  good := 31;
  steps := vector (numbers 1 "=F4=F")
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
