(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. That rounding cannot change an answer
   was computed by lengthwise, and can be computed again: lengthwise certify --check FILE.

   language: parity
   model: 75dd0ed15e088c86dba8027ac95a6e3cb981f3083818958f40d428ec2e22a2e4
   verified content: 676a0fdfddd0c29af70598281f58561f7719fac1a3fd7ef5924e375e640732b6

   symbols: 0 is 0, 1 is 1
   classes: 0 is 0, 1 is 1

   It needs the library of lengthwise: coqc -Q proofs/theories Lengthwise FILE *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
From Coq Require Import QArith.
From Lengthwise Require Import Networks Fractions Weights.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.

Definition language : language := {|
  num_symbols := 2;
  answers := automaton_of 0
    (map (numbers 1) ["01";
     "10"])
    (numbers 1 "01");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["01";
     "10"])
    (numbers 1 "01").

Definition the_matched :=
  triples (numbers 1 "000101").

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["12";
     "21"]);
  code_class := classes_of (numbers 1 "12")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 2;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "0011");
  hopeful := vector (numbers 1 "11")
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  recurrence_class network w = Some (class_of (answers language) w).
Proof.
  apply recurrence_is_right with evidence.
  vm_cast_no_check (@eq_refl bool true : check_recurrence network language evidence = true).
Qed.

Print Assumptions right_at_every_length.


(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : recurrent_network := {|
  first_vector := fractions 32 6 "QQA3H0RJeLd0NOT^^0LC8ED0OoV5FmLeiN40OMESl0MB9a@0M?VQh0RMJDX0LVM<T0Tf3B00V[J;00M7iK\0TcL0P0MKLk<0";
  symbol_rows := rows_of 30 6 ["NaeU`0O6J`X0O_mXE0OP_JOPPh3GV0P_6Ud0O[aW9PMhX3l0PGFfOPNQn:T0PFIQoPP@QK]0Ol9nk8Q;=WJ0Q6BDb0P0<ZYM";
     "N\oPb0N63eb0PKoMVPP`c:a0PYf4M0NLNE:0OZ9bK0Q_2;P0Pd_RG0O[3ba0Odia5@P6`X?8QLa?20QPFEH0Pkc6;0NnF:X0"];
  recurrent := {| weight := rows_of 30 6 ["Ok^:I8Ojmj40OmYlGTP9PF_@P1O]7jP7ESF@P?FTP@P<X?d0P3iS\LP78Ri8Oedl5`P6IK_XP2eJJ@POAmj0O^2490O\9?M0";
     "O_`GT0P95@iPPHl_2PP6T]D`OeT2RPOc`H4`P?PY6POc7Td@O`a4_@P@BW=PPNSVb0PmHNO0OP`;T0ObcnO0PDf:V0OmKEUD";
     "OnnARLPF^fo0P98Gd@PKfHM0O`\^NPPa@[N0O`6;8PP=QOk`O^SV:PO_?j50O`6UB`O_Y]VPOg>:a0P9iZ\@P66Y88P4\=1@";
     "P6E[1XPDkBE0O\[2WPOmH9dPPGE`EPOnD3iJP71:o@P=]Mi@P5nERHPTRSV0OJIi;0OeD6Y@OiB:Q8O^R@30OlkD1PP1CWZh";
     "PFFP>0OWEh7PP3Mgh\P5D?0XOCC2L0OQg2d0OoDk^BP2C?\8P1n19DP4B]o@P8S\n0P:?ld@P3dIOlOd3U3PP;?CI`OeC[;@";
     "P23mihOW]eePO_CCkPO_GCk0PLP:JPP02`n<OUfHM0P9;eE0P0\oB=P8N<\0PJMSZ0O\=7mPP@J5RPPOdmBPOni5XhP8A=YP";
     "OagK5POiC25POc7fi0P93;b`P9a0f`P7N5[PPO=NA0O^oHaPOn`dHBP1g<CDOfO`>0O\6=k0OnGM@NO_MYH0Ojofi`P3k[c0";
     "P5PboXPAYAkPOc\Vd0P6`[`0PCd\Q0P9m2E`O^PF2PP;K5A@PA[kS0OkOB88OG>=80Ob_N[PP4cJB@P3<J`@OegE0@OfSFXP";
     "P:aIJ`O_?EDPP0gU:8Oi;F?@P=NNePOcWI=`P?:HS0P7JC60P2l7O<P8M;^PP20BLXP8C>N@OhNVI0Ob9dc0P0FB;CO\g]`0";
     "OmGV=POk]@B0OUZ`aPOhn36@PBeBf0P0_:>gPEBhEPP:Fm8PO]4<8POekcS0PHgA_PP2bYTPP;kaM@Oaf2V`O[WKX0O[U[20";
     "Og2l5@P8RAW0P6PY^8P6D3WhP2_X98P>14N0OkJ1L8P@F:=0OncdM6O^QT20P6AKf0P9Pbg@P:V:b`O\\_a0P9^1:`Og?]R0";
     "PG;ka0OnA9;hPC6JOPPAI^7PO_LiK0PD<`f0OcC<=PO`6WI`PDXZ_PP@H>G0O`a9k0P5X5XPP2bDLPOk:5mhOc5=ePOoL1P4";
     "Of6HF@P=al6`P>G]E@PAK@i0Od82I@PBYV\PP3@7J\OVQ[50OhK5I`O\d4^0Oj]LBhPGHGc0OVjj00P3]4=<PMNFfPO^WZdP";
     "O]jK=POVUOPPP41mH@OcD`BPPJ\<60P3AE3XP59?RhP0bb4dP1oCIhP;U]bPP9Z22@Od^GiPOe]IG@OnMJ9@PQPOA0P1jV=X";
     "P3B78TOo]D=hO`:h1@OcL940P@QU_0O]SVUPOgo`HPP0i\VMP2U^`lPJTdJPP6P5ZPO`cc_`P4:NH`O\3C80PCnKOPPFmlVP";
     "OePJ5@P4C_lXP>98T@OkD3kPOI8oS0P250DPOmOF;8O\BS9POjOFLXPIPG60P<b4]0P2b_;XOWOh:0P0k@n<P;3hZPOd5QV`"];
     bias := fractions 30 5 "JMSU`VPdRXG^MR0JFV`XR[_fTRd7`hP0000HLA10SfcK0QIL]XP0000KN[^hHZmGhKFREXO1N^SV>13h" |};
  cell_memory := {| written := {| weight := rows_of 30 6 ["P@cgdPP]af80PU?Z60P\G>o0Oi7B?0Of_h60PJ[:i0PLlc`0O]gjcPPQNc?0PN@m7PP8E4n@OIVBU0P>O8Z0OUOda0P\I:i0";
     "P6h?n`P0cc<SOg18cPOoMhd5O`^U\0P@HN<0OTFJh0OjiBe`OUCeQ0O;`NQ0OC4\n0P[bSC0PJI\lPPLb6@0PHX:70O@dBn0"];
     bias := fractions 20 4 "O5jUOjQM" |};
    recalled := {| weight := rows_of 31 6 ["OLiWW0OH0gg0";
     "O[alJPPZ17D0";
     "PTNL;0N13j80";
     "P>h@5PN6b=f0";
     "N9H9b0PlX:@0";
     "NZdaN0MVVfH0";
     "RWK;l0OS@XEP";
     "OBZiF0Oo8O9Y";
     "OH?T70PH^08P";
     "P9eo2@QmCa40";
     "RF1QX0Qg:<:0";
     "Q`>bR0O4>UE0";
     "MfGKl0R@\QL0";
     "PW:JL0PK21IP";
     "OZGDV0M6HG`0";
     "Qh:PL0NLdSh0"];
     bias := fractions 30 5 "XoQ?PW[XZ@Wd=g0MLG0PMMA3XZD\hPY0TM0VCde8DeNOPGKRK`HDHNPQfk9fOCj81K<IM@J=N=@Li3Ch" |}; on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 30 6 ["Oambc`P80e4@OH^5o0P9lX>POb6Q`@Oebn5`O>N7;0Oh`KfHP]@`o0PYVI50P>K:n0P>FbLPP_E\N0Od`Hn0P0hSP3PBfLa0";
     "P12]2DPFm7Q0PRLZ@0PV[U\0OU1nH0P9ikk`PB4nl0OYL;_0OLC;=0OOjho0O_Un<PPVn_B0P;bCUPOmTj^DOioNf8PZX>l0"];
     bias := fractions 26 5 "OD1GVP[nXK" |}
|}.

Definition codes : list code :=
  map (bits 2) (numbers 1 "12").

Theorem network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  recurrent_network_class weights w = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (recurrent_network_as_table weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true :
    check_recurrent_weights weights (num_symbols language) codes network = true).
Qed.

Print Assumptions network_right_at_every_length.
