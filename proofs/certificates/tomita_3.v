(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: tomita-3
   model: 6c209839f37f553cdf442ab0f7d24c36feaff699b4400893c9f600eed16a1560
   verified content: f173a6875e3f7f26c25e61d4bbea0808eae0943ada97953c03de02240aaf95b8

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
     "142";
     "253"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["01611A611611B=A==ABBA==";
     "11611A611611B=A==ABBA==";
     "2==2<:=2<2=:==DD:==<=2<";
     "306785";
     "4;2;4>9;;9:;<=>==>CCD==";
     "5@9@5?E@@E;@C=?==?FF>==";
     "6==6B1=6B6=1==AA1==B=6B";
     "71608567891;B=>?@ABCAEF";
     "8;608>9;;91;B=>==>CCA==";
     "9==0C;=9C9=;==>>;==C=9C";
     "::20:D2::2::<=D==D<<D==";
     ";;90;>9;;9;;C=>==>CC>==";
     "<:=0<D2::2=:==D==D<<===";
     "===0===================";
     ">=90>=====;=C=======>==";
     "?=E0?=====@=F=======?==";
     "@@E0@?E@@E@@F=?==?FF?==";
     "A=60A=====1=B=======A==";
     "B1=0BA6116=1==A==ABB===";
     "C;=0C>9;;9=;==>==>CC===";
     "D=20D=====:=<=======D==";
     "E==0F@=EFE=@==??@==F=EF";
     "F@=0F?E@@E=@==?==?FF==="]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "222212") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "2202122222221111122111") |}
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
  inside := with_maps the_maps (pairs (numbers 1 "24324355"));
  begun := pairs (numbers 1 "102130405261");
  good := 31;
  steps := vector (numbers 1 "7KFM@")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "2443556:728799:8;6<<=?>;?>@="));
  begun := pairs (numbers 1 "1021405261708091:0;0<3=4>2?4@4A2B3");
  good := 31;
  steps := vector (numbers 1 "OOOO@")
|}.

Definition level_3 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1@2443556:728799:8;6<<=?>;?>@=ABBDCCDAEEFF"));
  begun := pairs (numbers 1 "1021405261708091:0;0<3=4>2?4@4A2B3C3D2E4F4");
  good := 31;
  steps := vector (numbers 1 "OOOO@")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 5;
  outside := 2;
  matched := the_matched;
  levels := [level_0; level_1; level_2; level_3];
  back_to := 3
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  tree_class network w = Some (class_of (answers language) w).
Proof.
  apply tree_right with evidence.
  vm_cast_no_check (@eq_refl bool true : check_tree network language evidence = true).
Qed.

Print Assumptions right_at_every_length.
