(* Written by lengthwise 0.1.0 from a checked certificate.

   The theorem is about a TABLE, folded in a tree: it says nothing about weights. That the
   weights of the model give this table (its elements are the codes of the network as it runs)
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: d-4
   model: 53d6a6b57031bce1e711c61726417cfa515296df05f0e892ba87b5b066ec02e2
   verified content: f0a62b66cb4fdd21160b6f711807a85fbdeb84a51421af4da5ae23d27dc4b573

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
     "53";
     "24"])
    (numbers 1 "100000");
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
     "53";
     "24"])
    (numbers 1 "100000").

Definition the_matched :=
  triples (numbers 1 "000101202303404505").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["067";
     "152";
     "234"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["01177A67777177AS7AB7777777717177A77S";
     "10177A00777177AS7007777777717177A77";
     "2028:5008C:;<J>?N00CDEFGHHJKLMNNPNR";
     "30834<0089:D<=RN@00CDEFGHIJLLNNONQR";
     "404=@900=Q@4INCGN00Q=Q@ONNN:JFNNENH";
     "50>5;?00>5KP?DNNF00>PPM?R<LNNNNGNEN";
     "60667B006776B7B7700767777776677777B";
     "70777700777777777007777777777777777";
     "8088:<008C:D<JRNN00CDEFGHHJLLNNNNNR";
     "90C94G00C9:EG=NN@00CEEFGHIJNNNNONQN";
     ":0:JNC00JNN:HNCGN00NJNNNNNN:JFNNENH";
     ";0;DF500DEF;<N>?N00EDEFGNNNKLMNNPNR";
     "<0R<DN00R<LNNDNNF00RNNNNR<LNNNNGNEN";
     "=0==@I00=Q@=INHNN00Q=Q@ONNNJJNNNNNH";
     ">0>>K?00>>KP?LNNN00>PPM?RRLNNNNNNNN";
     "?0N?PN00N?NNNPNNM00NNNNNN?NNNNN?NPN";
     "@0@NNQ00NNN@NNQON00NNNNNNNN@N@NNQNN";
     "A0AA1S00AA1AS777700AAA1S77777777777";
     "B0BB6700BB677677700B7777BB677777777";
     "C0CC:G00CC:EGJNNN00CEEFGHHJNNNNNNNN";
     "D0DDF<00DEFD<NRNN00EDEFGNNNLLNNNNNR";
     "E0EEFG00EEFEGNNNN00EEEFGNNNNNNNNNNN";
     "F0FNNE00NNNFNNEGN00NNNNNNNNFNFNNENN";
     "G0NGEN00NGNNNENNF00NNNNNNGNNNNNGNEN";
     "H0HHJN00HHJNNJNNN00HNNNNHHJNNNNNNNN";
     "I0HI=N00HIJNN=NN@00HNNNNHIJNNNNONQN";
     "J0JJNH00JNNJHNHNN00NJNNNNNNJJNNNNNH";
     "K0KLN>00LNNKRN>?N00NLNNNNNNKLMNNPNR";
     "L0LLNR00LNNLRNRNN00NLNNNNNNLLNNNNNR";
     "M0MNNP00NNNMNNP?N00NNNNNNNNMNMNNPNN";
     "N0NNNN00NNNNNNNNN00NNNNNNNNNNNNNNNN";
     "O0NOQN00NONNNQNN@00NNNNNNONNNNNONQN";
     "P0PPM?00PPMP?NNNN00PPPM?NNNNNNNNNNN";
     "Q0QQ@O00QQ@QONNNN00QQQ@ONNNNNNNNNNN";
     "R0RRLN00RRLNNLNNN00RNNNNRRLNNNNNNNN";
     "S07SA7007S777A77100777777S77777S7A7"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "0211111") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "22111111112111111111111111212111111") |}
  ];
  repeat_from := 1;
  empty_class := Some 1
|}.

Definition the_maps := (map (numbers 1) ["132452";
     "202134";
     "012342";
     "212345";
     "222013";
     "342522";
     "012322";
     "212342";
     "222012";
     "222213";
     "222220";
     "222345";
     "242522";
     "342222";
     "522222";
     "012222";
     "022222";
     "212222";
     "212322";
     "222022";
     "222212";
     "222222";
     "222223";
     "222225";
     "222242";
     "222245";
     "222322";
     "222342";
     "222522";
     "242222";
     "322222"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1122");
  good := 63;
  steps := vector (numbers 1 "694BXD")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "22334455"));
  begun := pairs (numbers 1 "203242536172");
  good := 63;
  steps := vector (numbers 1 "=F4YF\")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "22334455879;:8;6<<=9>=?>@:"));
  begun := pairs (numbers 1 "102032425361728292:2;0<2=2>3?5@2A3B4");
  good := 63;
  steps := vector (numbers 1 "]F4]F]")
|}.

Definition level_3 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "22334455879;:8;6<<=9>=?>@:CKDBEJFCGLHHIIJDK?LAM@NEOGPNQFRM"));
  begun := pairs (numbers 1 "102032425361728292:2;0<2=2>3?5@2A3B4C2D2E2F2G2H2I2J2K0L2M0N2O2P3Q2R2S5");
  good := 63;
  steps := vector (numbers 1 "]F4]F]")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 6;
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
