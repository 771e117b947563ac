(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, folded in a tree. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. The third one is about the
   network as it runs in floating point, in whatever order it adds.

   language: even-pairs
   model: 52bed712e77596f46b20afebbade82dce33917ea7e45f45d646f19137b93e693
   verified content: 7381c2be598fdd2da671f1ee9fd1267867ebc64494b36020b21f1daef25bebf2

   symbols: 0 is 0, 1 is 1
   classes: 0 is 0, 1 is 1

   It needs the library of lengthwise, and Flocq: coqc -Q proofs/theories Lengthwise FILE *)

From Coq Require Import List NArith Arith.
From Lengthwise Require Import Words Data TreeChecker Recurrence Theorems.
From Coq Require Import QArith.
From Lengthwise Require Import Networks Fractions Weights.
From Lengthwise Require Import Floats FloatNetworks FloatWeights.
Import ListNotations.
Local Open Scope N_scope.
Local Open Scope text_scope.

Definition language : language := {|
  num_symbols := 2;
  answers := automaton_of 0
    (map (numbers 1) ["12";
     "13";
     "42";
     "13";
     "42"])
    (numbers 1 "00011");
  domain := automaton_of 0
    (map (numbers 1) ["00"])
    (numbers 1 "1")
|}.

(* One automaton for the language and its domain. Of all words: the state of the
   answers, that of the domain, and that of this automaton. *)
Definition the_machine : automaton :=
  automaton_of 0
    (map (numbers 1) ["12";
     "13";
     "42";
     "13";
     "42"])
    (numbers 1 "00011").

Definition the_matched :=
  triples (numbers 1 "000101202303404").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["067";
     "124";
     "253"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["0067896789";
     "202442";
     "305335";
     "402442";
     "505335";
     "606886";
     "709779";
     "806886";
     "909779"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "0112211") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "011221122") |}
  ];
  repeat_from := 1;
  empty_class := Some 0
|}.

Definition the_maps := (map (numbers 1) ["11414";
     "23232";
     "33232";
     "41414"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1122");
  good := 31;
  steps := vector (numbers 1 "6:D:D")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "20314253"));
  begun := pairs (numbers 1 "213243546172");
  good := 31;
  steps := vector (numbers 1 "N:D:D")
|}.

Definition level_2 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "20314253"));
  begun := pairs (numbers 1 "2132435461728394");
  good := 31;
  steps := vector (numbers 1 "N:D:D")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 5;
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
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions right_at_every_length.


(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : tree_network := {|
  places := 2;
  symbols := rows_of 6 2 ["P0OEOmP4PFOFOaPXPAOZP@OaPAP0POOW";
     "OMP=O_P<OdP;OhPDP5OgOWOcObPdO@Oo"];
  pad := fractions 6 2 "OTOiP6P3P9PJOcO6OfOfP3P9PEPGPMOj";
  query_scale := Qmake 1 2;
  share := Qmake 1 2;
  layers := [{|
    heads := [{| query := rows_of 6 2 ["OcObP@PPP;P9PDOcP4OZO_O\P=P8OiP8";
     "P;OlP6P<P9PIO^O^P8PAPOP@P2OSP1Oe";
     "OKPNPNO_OkP0P1OYP2OUPAP4P<P;OPOi";
     "P>OiOWOgPDPFOjOgOROoObOUP1OlOnP@"]; key := rows_of 6 1 ["O@UbYXFNOEVW;S]Y";
     "VR=K`ZVSbG?Dm]<T";
     "]m`cIJiY?^aW6VIk";
     "MPU^FaBY@@Aca^`<"]; value := rows_of 6 2 ["OPObOkPFO]PKP4OkP7P4PGP2O`OjOkPK";
     "OmOMP4PCP1OXO]P3OhOjP3P4PIP:P;OW";
     "O`P@P1P8O`PMPCPHO_OnO[PIOmOhP<Oa";
     "OkP:P1OYP=O[P1PJPHP4PBP=OfP:OkOW"]; offset_bias := fractions 4 1 "aa" |};
      {| query := rows_of 6 2 ["OaPMPEOSOhOiOhP5PCP2O^PHO[OcOcOX";
     "OgOSOmP7OZOmP?OlP8OnP7PFPPP>PEOk";
     "OKOiPHP6OeO`OXOWOaP6P:OSP;OdOoP0";
     "OmObOWOZOdP3OcP<O`P2PLOkPNP6ONP>"]; key := rows_of 6 1 ["FSD[6=:@n]jgeCN]";
     "Vk_`D[OKL?@g`N7d";
     "[UGe[@[cG\=XeZ?M";
     "KPT_T<QX\8O=?\BZ"]; value := rows_of 6 2 ["OkO]PGOhOYOeP@OnP8OnPAO`OiOQOhP8";
     "O\OhP4P8OgPOO^PFOZP1P0OoPOOmOcOc";
     "P7P;O\P8P3P4P=ObOkPPObPGP3PHOcOh";
     "OhOoP;PAOkOgP=O_PAO]OoOgPBP>P6OZ"]; offset_bias := fractions 6 2 "PoQ9" |};
      {| query := rows_of 6 2 ["OoO_PDOYP1OjPDP8P@P;OnOjO^P9PCP@";
     "OZOoOZOeO^P?OcP2P0PAObO[OZPEObPL";
     "P:P3P3OiP1OdOjP0O`ObPBO`P5PLP7On";
     "OPP?O^P2OdP8P8PPOlPDPHO[P1OaO]PD"]; key := rows_of 6 2 ["PBOhO`OnP1OjPBO[OXOZP3P9O`P=OiP7";
     "P0OPPAPCPCPFOlP?OkP=OfO_O^O^P;O`";
     "P6P8P3OcO]OlP8PEP=OnP7OZOaP;OeP;";
     "OYO]OdPDOhPCPDP6OgOhP0OlP<O^PKP4"]; value := rows_of 6 2 ["P?P;P3OcP?PPP7OfPAOdP7P7O[P7OUP6";
     "OeOfOoP@OmP<P1OaOROaPEOdP5P2PMP@";
     "P=OhOnOiO\P>PIOjPBO_OoPIO`P<OQPJ";
     "P1OiP;O\O]OlPCOlP?PAPBOdOcOfOTP3"]; offset_bias := fractions 6 2 "PmQ;" |};
      {| query := rows_of 6 2 ["PBP<O_OjPDOWPIO`OoP5OeOnPJO_OkO^";
     "O^P9OYOXOjPJPBPRP6P2OhP8P>P6OdO`";
     "OaP2OYOMPNOZOlP<P5OhOXPGP<PBP1Ok";
     "O\OoOnPBOnOfOcORPFONP7OjOnP9O`P9"]; key := rows_of 6 2 ["OYP5PPPAORP1P5PAPHO[OlP>OcP=O^PE";
     "OkOlP8P;O\OjPBP2P5OhP=OZOXO^P@Om";
     "P7OkPEPCOZOUObP:OkOdOkP1OYOoOfOc";
     "P:PDO[OfP3PAOQO]POOgOmP8P2P3P:Of"]; value := rows_of 6 1 ["][NWHoE8Oc7hdCYa";
     "2BZA[c]8c@g<Cg`[";
     "JPH=IMU`nPRD69<O";
     "ZAfAO_j;LQH@\:cX"]; offset_bias := fractions 6 2 "PfQ?" |}];
    output := rows_of 6 2 ["O]PKOhP>PKOcP7O`OaOlOgOgP2P7P?P3";
     "P3OhOQP2P;O[O]P;O_PFOcP:P7P1P7PR";
     "P4P1P8PEOWOiPHOYP@OaPNOSPLPGP3Ob";
     "PROlP4O[OjPAP3P3OJP5OhOkPPPGOQP4";
     "OcO\O_PQP:P@PCOQOlPFO\PBP>P;O\PC";
     "OVP7P5P3P>PPPIPIP:OoOTO_P8P0P3P@";
     "P4P0PKP8OPO\PDP1PLOQOdPEPNOMP>OT";
     "PDP:PQOTOOPJPFP;P6O[P9OOP4O^OYP<";
     "OjOfOXOYP=OaOgOeOeOWPLPEP4OVPEOc";
     "O[OnPQO[OOP;PQOYP@PDP?P4PYPEOSP6";
     "P8PIOWPEOmOOP4O[P7O^O[OmO_PGP<PK";
     "OmP2P9P5P6OfP0OnOmOXP0O\OnPMO]O]";
     "OhOcOmP3PAOZOiPAP?OjOTP9PDOZOZPJ";
     "P1OQOhP=ObPGPQP7P6OeP5OnOaO`OQP9";
     "OZPYOaO^P7P0P<P=OGPBO\O]PFPPOLP=";
     "PIP4PJOcOYPFP@PFOiO^OnOUP:P>P8Oh"];
    expand := {| weight := rows_of 6 1 ["Q9n?=LfWT9aPLgMU";
     "ORDYIW?JS<IOQI^Y";
     "N^=6\VD?LYHEQCH@";
     "KI5U<S=>[3IYReJG";
     "UVW?OW?FU:]B`<f<";
     ":KgGJeR_4NAYPMWX";
     "FPB`BCCIWEKEMG`?";
     "@ALe\IR^P_Q@VI_T";
     "^c_5MHB[K?NFZ@G9";
     "Ub=WbLHQKXMVSDgc";
     "CC^JQVdJ;[U<?A?O";
     "e9_YY8bW^>e_=NV:";
     "V_N`bXF[BGPF^Rd[";
     "KFSM]=CXOF\WKBF8";
     "cNU<UKM]WWPA9Fo=";
     "KCd]=I``I\CD<hBQ";
     "M7Q:]VPQRNQZG[Yd";
     "U=d4WVL`_cYdGL_L";
     "VZJ`Sc^S9`K\;RV\";
     "Y]JJh>EDe`OOEZNY";
     "WfaHRFWKUEBRWNTL";
     "^NQDd[YM[@HSK@IC";
     ";\SYH>8E[;ADO<Ba";
     "LDK@OGEQX9_]_F_>";
     "JCHaDWNDKBbUYEWY";
     "aPKA@@h^\bVB[`UD";
     "]L`OU7<`Q5]WgG^L";
     "KALYQ`[U>LL?JQTI";
     "h]CGe`?NGMjL\Ma@";
     "NMSSbG]aGbY9DOOT";
     "iOGPOJH=TXR:Y=I6";
     "Ge3JeQAJRAZTHTIU";
     "aO;SbCNSIUcM>H`?";
     "CdWPNLLLBRNLLMIU";
     "]\:QRE<`\ZbT\YXI";
     "cVA=_\ZL]DF:YIFN";
     "M:]NHBadQPVU?MHX";
     "PPEabXa\AZXJ^F?G";
     "EcCALAGXFVfP[A_^";
     "[`8L\F]MDDaBGViP";
     "PNUQh\S@YMQQJTnA";
     "S6[`XbdUNM[XAdHS";
     "@TZQ4SOgTHEG;`7d";
     "JXBIeHHaUHKNE[Q]";
     "CD\^`UUOSMDC>`Pc";
     "g`Q@d]XXIYDa8bFH";
     "GaA]X_R_^T_CGRSN";
     ":SVe?a8>?JRB[aXa";
     "DE[SAA^[[ORIS^T`";
     "[SXdDjhl>KMVUZZR";
     "JUZBL:NNeE=DXIMI";
     "C=`b^RFSFSV^W]FT";
     "GU=W1gFHX<IXEiCc";
     "T;MZTXYaOXF<NQ\M";
     "VW?LEXBHEU^^lC_V";
     "cQG?bIF^^RIaHMKA";
     "@K5QZKMIT^TF?F`W";
     "RH^BUo;?JNJlSbOa";
     "bRSP\BNSO\J`FTRK";
     "NRRC>BXMR[_KKaMf";
     "CJEeZQ]S?WbXVNnO";
     "FBLYPKSS\`:WV\HW";
     "_Z=HKLY_<gaFKCRF";
     "MCBYLQK]KHGGhEPK"];
     bias := fractions 6 1 "\MOZQYTXQUUWNNYQTOSJKPWLTYNRUTUYQSNRORJSYSXURZOXOUIP^NVQW_HJ[QSG" |};
    contract := {| weight := rows_of 6 2 ["P1P9OfP@ObOlP2P3PCPBP7P6PBPAP=OeP7PIP9OoO`OiP;P>P8P>P7P1P1P<PFP8PGO^OmP8O]P<OiP>PDObP6P7OdPBOiOeOhOnP4OjObP4P2P<P?ObP:O^PGOXP5Ol";
     "P>P3OePCO]OgP8OmO^PDO\OXPCOhOhP3P@OkOfP0P4OfP>O\P2P7OdP2P6OeOcPCOgOeP8OnOeOaP7OhP<O^P=P;OaP?O_P4O_O\P2OjP?O\PJP7P@P>OgObPGOiOjOo";
     "O_OiP?OUPGOnOgP2OnP1O]P<PHP=PAP;OoOcOiOgOiP:OdOmP5O[P5PEPEP>OoOnP?OiP4PBP8OhPCP8P=OgP6P:P6OgPBP>P<P<P0PCOoOkPAP:P8OYOoP4P>OcOcP5";
     "OVP7P1P;P:P8P6P1OfP;P6OUOnOYOeP=O]O]P<OgP:OmP9P4OhP9OnOhP5OgOfP9OfP?PFOiO^P1P<P?OoP5P;OhOmO_P3P?P2PDOjOmP>OmP4P=P0PCP0OnPCOjOoP3";
     "OnO_OlO`P6P=P4P=OmOgP@O^OfOmOjP9P8OmObOaPBOfOkOnOfOgP8P=P8P?OjO]P6P3OkO\P0P:OjOcOZPAP1O`PDP4OaOdPDP7ObP<OkP9O]OXOaOdO_PGP2OoP7Oa";
     "OTP8O_P1P2O_O^P4OoOkOZOZP0OlOlP0OhP2P?P<P=OdOhObP9OmOiOcOcP:OhP7O_OcP5P1ObOgP@OhO]OiP@P0P3OjP;OiP:P1P1P1OgP9P9O_O_OZP7OfP4OcO\P3";
     "OdOjOhP<OXOUP:OkOXOnOYOfP3P1O`OeP9P?O]P5P4P1ObOoOlO^OhP9O^P1OjPDP7OnOWOaOjO]P5OeOgOnO]OcP1O^P:O^OhOmP8O]P1P1P4O[OhP9OnO\O^O\O_Og";
     "ObOiP2PBOkP6P4P>O]P8PAPCOhP3P5OnOkOgPFOnOlOnOiP5PDOnPCP5P@P?P6P9OjP9PGOkOcPHP5P;OmPCPDPAOoP@PBP8OfOoO_P@PLPBP8P4PFO]OnO`P:P5P>Of";
     "OkO]O^OhOXP=O]OfP0OZPAP:OhOlP8P:OhO^P9OZOoP2OjO_OXP6O]P>ObPAP0O[OfP3ObOkP;P<OkP0P9P6P8P6P?O\P0OnOiOnP9PAO]P>P3OmOmPKOmOkP4P6P0Oo";
     "PDP5OhOhP?P;OnPCOkOlP1PJOcP9OeP3P<P2PEP4OjP=P9P?P>OkP>P=P=P7P9OROiP4OkPDPEP>OfOdOkP;O`O`OjOcOjOfOkPDP0PEOmP3P0OhOePJOoOcPOP3OjOe";
     "P1OZPIPBP=OUOmOZPBP0OoP5P0PEP8OfP5P5OdPJOlPFO`PAP:OZPKOZP<OmP?PLP:OjP4P>ObP4OiPAPHP5OmP<OXPEOlOnOoO`OoP5O[ObPEP=OdO`OnP>O]P9P?Oj";
     "OYOaP7O]P4P4P7OkP>P2P2P2OfP>OhOdOWO^OmOkOdP?OhP6PBO`OdOiP0O`OnOnP5P:P4P4OgOnOlOnP9O[OXOgOgO`OaP:OkOaOjP2O_OmOiP5P9ONP3P6OhOoOgOn";
     "OeOaP9OQOlOWOcOeOTP2OhO`OkOoP<OcOnP8P8P6P8P=OdP8P<OWPGP4P4P=P2P8P9O_PKP6PBP5P7P<P2OjP5OhOkOoP1OZP?O\P8P0OZP:OkP0P9O\PEOjP0OeP0P?";
     "P1OmOmOUP=P1OdO^P2P9P4OfOcP5OnP<OjOfP=P5OkOmOlOeP2OYP6P8P0OkOoObP:OiP?O]P?P7P;OnP7P6PCP>O`P3OdOfPAP0P0P:P:P5P9OcOZP9P1OiP4PFP6Oj";
     "O^OjP6OQPAOjOgOgOiOnOhP>PAOcP1P9P:OnPBOmOfP7O\P8PDOePDPEP;P8P9O\P?OgPHOkP;P3P8P5P<P0OdP1OkO\P<OiOnP4OlOnOkP5PAP3OiOMOnP6P@P7PIP1";
     "PFP4OoPGP>OZP7OjOnP4PEP2OnP8P>P1PDPBO_OjP:OhP2P1P3PBPHP;OmP;P;OkOgP;OfP@P4P2O^P5OgP2ObP>OYOmP5OjP7OdOhP1P3P9OXOcOmOmP8O[OmOiPEOm"];
     bias := fractions 6 1 "UPQPPIKWNVRHKKOQ" |}
  |}];
  node_memory := {| written := {| weight := rows_of 6 2 ["PVOTO]OMPLOXPGOePUP>OXP5P<OOP9PN";
     "P5P=OfP:OZPOPJP:OeOIO]PROTOJOdP8";
     "OIOQP6OfPGP>OZOPPSOlO\P>OhPAOlOc";
     "OWPNOWOhOlO\PEOUP=OoP8OTP5P>OJP1";
     "OhPSP<P8ObP7P:OKPIPOOnPSOoP1P9OU";
     "OkObOiOHO_ObOiOPP5P?PUPNOaO_OdOn";
     "P?P@P:P:OcPFPKOjOWOVPBPDP\P=PAOh"];
     bias := fractions 6 1 "KLGKMOE" |};
    recalled := {| weight := rows_of 6 2 ["PEOXP>O\P2PLPJ";
     "OhOeOgP>PNP=OT";
     "OGP?OeP>PQOnOl";
     "O>OjPIOcO\OWP?";
     "PRP8OOOXP>P4OC";
     "ONOEPBO^P3OcO\";
     "OMOOOdOnOjP;P=";
     "PAOVPPOSOUPAOi";
     "P>OfPQP[P9P;PK";
     "P1O?P4OIPOP4P>";
     "OVOYOlPLO^PAPS";
     "P@O]PWP6PWP3O^";
     "OeOoPFOHPTOSPO";
     "PJP0P6P>P0OZOc";
     "PMPWOdOQOKOcP6";
     "O^P=OWPMO_OlOK"];
     bias := fractions 6 1 "QKOQTSKWIVUNJHNU" |};
    on := Qmake 1 1; off := Qmake (-1) 1 |};
  answer := {| weight := rows_of 6 2 ["O`OhP8P[O9PQP@P5P2PRPRP8P8OkONOi";
     "OHO]OPOBP7O[OROkO^OMP4O\ONOiPOPC"];
     bias := fractions 6 1 "UK" |}
|}.

Definition codes : list code :=
  map (bits 7) (numbers 2 "04030H0X12010@0P10").

Theorem network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  network_class weights w = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (network_as_table weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions network_right_at_every_length.

(* The network as it runs in float32: any answer that may come out, in any order of additions. *)
Theorem float_network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  forall found, float_network_may_answer single weights w found ->
  found = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (float_network_as_table single weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions float_network_right_at_every_length.
