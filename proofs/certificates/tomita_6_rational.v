(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, folded in a tree. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. The third one is about the
   network as it runs in floating point, in whatever order it adds.

   language: tomita-6
   model: ea2d73ed32e83dd58763d4bbc32fedc04350dc26e358e738d9c190246fa67191
   verified content: 40faa5b4a046aad0b28922326d521247683c6400d0f2ca7f64148e0822f9e146

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
  (map (numbers 1) ["023";
     "131";
     "212"]).

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
  inside := with_maps the_maps (pairs (numbers 1 "122031"));
  begun := pairs (numbers 1 "102132");
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
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions right_at_every_length.


(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : tree_network := {|
  places := 2;
  symbols := rows_of 6 2 ["OIOIP3PIOlOLO\PXPBOjOoOlPFPAPAO_";
     "OgP9P?P:PEPBPWOoO[PPO]P>PIPCO=OC"];
  pad := fractions 6 2 "OiOlO[P:P>PHO`OZP2OLOhPGP3PMPJOe";
  query_scale := Qmake 1 2;
  share := Qmake 1 2;
  layers := [{|
    heads := [{| query := rows_of 6 2 ["O_OgPDPBP4P=P<OVOoOZOZOYPEPDOUP?";
     "PAP4P1P>PIPDOaOlP@PKPKPOOlOQP;OV";
     "OOP?PIOKOlP3OaO[P7O^P7P5PLPCOKOh";
     "P7P2O`O[PGPKOdObOOP5O]OWOmP6O]P>"]; key := rows_of 6 1 ["XHUdcCFWRK_iCIcG";
     "OI:IVnSI`>64mg8a";
     "fockT?kf<fcfBOQZ";
     "LbWbRSG]=>DkU^k5"]; value := rows_of 6 1 ["2>OcB[HR_`lgE:Wc";
     "A2ZhL=2QO>Z`bcQ;";
     "5`\Y=ie^;DFiJN\C";
     "KUJDg>XlbU_T?Z\7"]; offset_bias := fractions 5 2 "PQPP" |};
      {| query := rows_of 6 2 ["OhPSP=O_P0OjP?P?P;OmO_PBO]OcOlO]";
     "O_OZP2P8O[OkPHOnOkP6P>PFPHP=PKP1";
     "OPOZPHOoO_O\ONOVOmPCPDOSP>OVOlOe";
     "O_O`ObORO_P5O^P5ORP9POO\PFP6ONPG"]; key := rows_of 6 2 ["OfP0O\PAOaObO\OfP@P=P<PDPGOnP9PF";
     "P0P<P<P>OkPAP6OdO]O`OaPHPLP7O\P:";
     "PDOnO[PBP<ObPCP>OeP0OXOnPLP=OZOj";
     "OkOgOmPBP0OgOhP7P>OOOeOZOgP=O_P8"]; value := rows_of 6 2 ["OcO`PLOjOROoPCP9P1P=P;OdOhOXOWP<";
     "OdP2P8OhOZPPOdP:OZOkP6O^PKOhOQOk";
     "P4PCOfOnOdP8P?OSOmPCOkP<OoPJOPP3";
     "OhP0P7P<OnP9P=ObPIO_OfOhP=PGOgOV"]; offset_bias := fractions 6 2 "PdQ?" |};
      {| query := rows_of 6 2 ["P0OfPCO[P5OiPDP9P=P6OdOkO\PCPHPB";
     "OQOfOhO\OWPCOVOfOoPMOeOVOZP=OePH";
     "P@P1OhOgP5OmOlP1OaO[P<OTOoPQP8P0";
     "OPP<OeOiOcOlP0PFP0PRPLO_P7OUOeP8"]; key := rows_of 6 1 ["cPAHVAX;C<D[6_LP";
     "P7aYf`;_]Z5C4KU:";
     "W[S=:JZdUK[<B`=d";
     "@E<`Sa\^[KGQS9lC"]; value := rows_of 6 1 ["d\MAjn\1_4L\Kc;L";
     "ARV]>eJ?5=hFSYZl";
     "i9C@J\e6b;CaS[=\";
     "KE];6SdKTkc?MD7X"]; offset_bias := fractions 4 1 "_c" |};
      {| query := rows_of 6 2 ["P6PFOkP2P>OWPFOXP1P1OgP3PBOaOcO^";
     "OKP5OmOWOVPIP8P=P5P1P4P1PAP2O`Oh";
     "O\P<O[OXPQO`P;P7P0OZOQPMP<PLO_Ol";
     "OkOlO]P2P2OnO[O\PBOTP@OhObP7ObPK"]; key := rows_of 6 1 ["BD`d<]_a]?N[RbBb";
     "GGX]HOaQ\N\B@?kA";
     "XI^hE7EVG9=ZM^AI";
     "Zg8TNc:<j7PTLNeP"]; value := rows_of 6 2 ["P=PCP8P3O`PBObO`P0PDOaPBP5O]OjPJ";
     "O[OnP=O`P8P8P;OfPBOiPPO\ORP3P;P7";
     "OeOdOgOZP2P2OoP9PGP3OfOfOeOcOlOm";
     "P=OlPDO_OnPDPGOcOnP5OjOiP3O\P3P@"]; offset_bias := fractions 6 2 "PoQ2" |}];
    output := rows_of 6 2 ["OlPPP4PCPROnPCOiOkOeP0OaOnOnPBOf";
     "P6OkO^P4P7OiOgP7OjPGP3P:P?OiP8PC";
     "OjP8OkP?O[OZP<O_P4OiPEONP?POP1On";
     "PQOeP5O]P3P:P2OaOPP2OmP=PLPIO`P2";
     "OeOLOTPBPHPFPEOPP1PSO`PPPBPCOfPD";
     "OWOnP8OoPMPUPXPHPHOjO_OnP7OdP>PA";
     "P;P7PLP:O]O]P9OoP9OQOQPBP@OXP?O]";
     "PHPFPKOMOOPCPNPJPKO[PLOPP0OaObP3";
     "OgOeOPOYP@OeO]O\OTOYP>PDP6OaP=P4";
     "OUOmPCOLOEOiPFOhPAPPP@P1PRPGO`P8";
     "P?PJOXPBOlOLOdOSOiOiOPOjOeP>P1PB";
     "P:P5PIP8P0OaOjP;OjOQOlOWO]P@O\OX";
     "OeOiP8P=P@OZOgP:PDOnO]P2P:OXO]P5";
     "OkOLOcP;OlPHPMP1P0OeP1P<OcOhOZPE";
     "OcPMOjOYP:OoP=P7OQPEOgOlPBPIO]P1";
     "POP>PMOjOdPIP8PEO_O[OgOQP8PCP9Ol"];
    expand := {| weight := rows_of 6 2 ["P3OaPGOYOZP2P:OnP6OjP8OgP5P<P3P2";
     "P3OZO]P<OmPGOiOiOoOQOgP1OmP4P?PB";
     "O_P7OkOZOoP2OlO`OgPCObO\P;OgO\Oh";
     "P3OaO]P7OgOoOhO_P8OWOfP?P1P@OoOk";
     "OmP2PCOWOgP<OlOaP5OhP4O[PCOdOnOg";
     "OXP8PJO_ObP8OmP7O[P6OoP<P7O\P1Ok";
     "O`OaP2P8O`OoOgP2OoP9OnObO`OjP?Oc";
     "O[O[P6P<P;OjOiP4P@PGP4O\P2OiP6P4";
     "P:P;P?O[O`OjOaPHOiOdO_OgP>OgO`Oc";
     "P6OoOiOnP6P9OcP7OhP;OaP;P6OiP?PJ";
     "O^OkPFO^P3P2P;P0OXPEP;O_OmO_ObOg";
     "P?P0P7PDP6OYP>OoP@OYP@P?OaOmP=Od";
     "P6P2P6PCP=PCOjPAO[OfOnP0P;P7P?PE";
     "OhP1P7P1P1OaP3PEO_OdP?PFOmOjOcO\";
     "P>OdP4OgP2OlP3PKPEOlO_OfOhP6PIOg";
     "OiOYP<P2OUOdP4P2OnP3OkOXOlPBOeP0";
     "OlOhOgOcPHPAO`OdP:OkOnOkO_P8P1P@";
     "O_P4PLOeOlP;OoPBP4PMP7PKO]OaP=Om";
     "P:PHO`P@P=P4P=OgOjP?OfP;O]OiP7Oi";
     "P0P;OfP=PLOgOjOgPJPCOoOfO`P;P7P8";
     "P8P9PBOZOnOnP6P1OlOeO`P8P0P6P;On";
     "P7OmP0P2PEPFP9P3P>ObO]OoOoOgOlOc";
     "O[P<PBP=OlO[OgP0P<OoOnOlOfOWOgP?";
     "P2OlObOQOhP:OoOoOfOPP5PIP9P2P=Oc";
     "OlP0OlP@OgObOlO`P3O`PHP@P=O\P:Oo";
     "PBPDOkO_O\OfPCP4PFP;P9OgP=P7P7Oj";
     "P?P4P9P:P;O^OhP8OmO^P>P0P?O`P7Og";
     "OjP2OjP8P6PDOhOfOlObOfOUObP3P1Og";
     "P?P<OfOjPAPCOXOhOmOeP9OiPAP4OmOj";
     "ObP;PDP1P>OgP4PEOhPNP4OcO\OoOjP4";
     "P<P1P4OnO_OhO]O^OmP6OeOYP=OlOgOh";
     "OhP5OZOjPDOmOfOhP8O[P0P5OjP4OcP<";
     "P7P2O]P:P>OmP=P0OlOkP@OlOdOnP5Oh";
     "OoPBP1P3P8OlP6P0OiOkOmP1OgP2OcP7";
     "P6OhOeOnOlO^OYPKP@P?P3P3P3P6P1P1";
     "PAP6O^OlPAP>P6OjPCOUOjO_P8OmOoP;";
     "ObOkP@P:O`O]P=P3P4OlPDP2O[O[P7P9";
     "OnPAO`PEPGP1P>P4OlOmP1OlPCOiOfO]";
     "O`P7OiO]OcObOiP0OaP1P?OkPCOjP5PG";
     "P4PFO\P4P:O`P9OeOlObP6OaOmP7P>Oo";
     "OgOjP6P8PHP;P7OXPFOjOiOkOiP6PCO]";
     "P7OjOoPDPCP;P>OkP:OiP>P9OdP9P1Oh";
     "P0O^OlO`OTOgOkPAP7OZOlOnP2P4OgPE";
     "OdOjOkOeP6OeOkPFP3OgOhOkOiP9OoPH";
     "OlOiP4P9P=P7P3OgP?O`OfO\ObP=OmP>";
     "P?P6P6OjP;P@P1P1OoP0O]P5OdP=OdOk";
     "OgPEO^PBPCP<OmP5PHP8P6OaOhOnP:O_";
     "OXO_P4P?OSOnOgO_OeOfP8OlPFP>OnP@";
     "OeOmP5P9O`OVP=OnP?OiP@OlP8OeP=P>";
     "P?P>OjPHOnP@P@P?OoOhOoP3P8P4PFOb";
     "P8OoObOnOoO\P9ObPSOLP2OfP;OaP<On";
     "OkOoOnP@PEOjOdOjOnOfP5P=P<P6OkOg";
     "P3O^OoOgOXP>P4OhP6ObP1PJP0P:P<PC";
     "P1OlP0P3P0PHOmP<OnP2OTOXP<PDP0Og";
     "P;P5O_O`O_OnOmOoOkP0P4PHP@OeP1P4";
     "P?OaOnOZP4OnOoP<P:OjOhPEOhOiObP1";
     "OYOfOhOjP7OiOiOmP4PIOoObOWOeP8P4";
     "P:P6P8O_P?PIOROdP=P4O`P0OkP6OlP>";
     "P9P6P2P:P=OiOkP8P1PCOcP5O`P5P>On";
     "OdP3P0O]OTOdOjOjP0P6P?OcP2P>OfPH";
     "OkP4OfP9P@OmP9P0OlP2P4P>P;P;P;Ob";
     "OkOmO]P4P8OnOoP4PFP=OWP2P:P=OkOk";
     "P4P@O_OlOcObP<P9O^P:P@OiP7OdP0Oc";
     "OdOgOcPEP2OeO`PAOhP1OcOaP;O\P7Oe"];
     bias := fractions 6 1 "NVORNQQJUTXNSXRLKWKQPOQXSJPGOOSOMJKJINPOONWNJSSOOPRNWOSPPKJNPIRS" |};
    contract := {| weight := rows_of 6 2 ["P0P@OcPHO[P9P1OnP2P;P4OnP?PFOiOaP8PMOlOeOcObP@P:P0P7OhP6P1PIP4PDP;O_OdP7OhOlOcP4P4O^P2P1P0P>OVOaOiOnPOOlO\OlP@P;P=P4OoOZP8OROoOc";
     "P@P>ObP=ObOfP9P7OkP?O_OiPFP9OoOlP@P7OgP1P<OiP5P3OaPAP3P:P3P6O_P9OkOgP1P6OkO^OiObP:OcP5P5OmP:OaOlO\OdP?OiPHO_PIP<PGOiOiO\P>O\P1Oi";
     "P9O[P;O^PKO`OjOoP<P0OZP<PDP3PLP;OlOWOeOkOmP?OfOoOoOfOoP?P;OmP:OiP;OkOmP>OnOiP@P4PDOcP?PBOeOmPHP:P6P7OTP9P4OmP9P8P6OoP2P6P5OlO]P<";
     "OmP0OhP1PKOgP9P5P9P<P0O\OmO[P3P6OXOYP;P1PAP3OlPIOVP@P3OaOkOaOjOgOgP=PBOfOWOmOmP8P=P4P?OiO^OZP:P6OdPDOWOePBObP5PDP7P7P8OnP:O_OmP7";
     "P2OXP:OhP5P@P2P4OiOkPGOdO_P3OaP<PBOlOcO_P<OoOoOiP<O^PAP9PGP8P2OlP:OoP3OeP0P;P4OlOWP=OjO^P;P?O]OePNOnP6P9O^P9O_O`O]P4O_PEP2P3P9Oa";
     "OmOnOXP2PAOVOaP;PAP0OSO`P1OfP>P5OeOnPBPIPAOgO`P1OiP7OjO\OZP2P5OdOdOfP6OnO_OjP;OeOoOlPLP6OgOfPFOhP0P5OYP0P4P2P<OcOeOcP@OoP<OdOYP<";
     "OaP8OhP7O^O\P:P3O\OoO]P6P:PIOXObP>PLO_P6P9P3ObPIOcOfP5PCOdPGOcP=P;P2O]OkP1OXOnObOfP2OVO_PDOWP6O_OgP3PROfP8P2PFObOmP3OnO\OaOTOhOb";
     "OfOkOlPCOhOkP4P?O_P2P;P=ObP2OnO^OhOmP8OnP3OoO`PBP3OhP5P4P5PEOkP4O_P4P8OhOXP6OgOmOlP7P8P8P6P5P:OoOVOjOjP=PMP4P?P5PHOcOlOYOmOfP7O_";
     "OhOXOlOmOZP>O[O\OiO[PGP@ObP5P1P@P0O]P>OXOhP5P3OZOjOmP0P?P2P=P:OkOmP2P0P2P?PCP8P;P1P6P5P9P<OgOmP1P:OgPGP?OTPAP3P1OiPEOlP0P1P@P6P0";
     "P1P<OmP;OkP=OlP9OYOfP7PDO`P<OVOoPAP5PBOfOgP7PCOkPMOeP;PAPAP;P0OkOdP2OmPFPGP=OkOeOUP8OVO^P2OiO_OeP4PAPEP@ObP9OiOdO]PFOhOWPDP6OjO`";
     "OfOfP8PAP?O]OoOcP9OnOjOlP<P:P<OjP2OmOePFOkP=OhP6P5ObP9OhP3OgP>P>P5P1OiP:OiP8OhP<PDP=P3P=ObPCP3P8P0OlOVP>OmP5P=P5OcObOkP@OdP<P=Ok";
     "OjO^OiOgP=OnP8OnP7P4OdP0OgP6P1OnOVO^OoP6OgP6OdP9P1OgOeOeOgO`OkOgP6P<P=OjOdP3OlOkP>O_OjOnO`O`OgP:ObOfOQP2OoOfP1P5P;OZP8PCOnP3OfP4";
     "P1OkPGOeO[P0OdOaOYP1P:OfP0P6P0OeP5P:P9OhP4PEP5P5PNOaP8PBP5PBP2PFP2OiP=P>PJP7P>P>OiOnOjOdP;P3OiOdPIO`PNP>ORPKO`OmP4P5P>OdP1OlOlP@";
     "PCOhP3OZPAOoOgO_PHP:P<P1OcP0P=P@OgO\PCP9OhP7OmOeP>ObP?P8OoO[P?O]P=OiP8O^P8PCPAP5PDP9PGP@OUP9P3OkPCOnOWP:P:P@OjObO[P8P2OmP8PLP7P4";
     "OoOZP?O[P;OoOdOZOoOlOmP<P6O\OmPBP>OcP=OjOdP@OeOoPIOhP7P<P9OoP@OfP6OiP@OiP:P2P=P6P7OnOnP9O[OgP4OhP3OiOiOiO_P0P3P4O`OgOmP=P0PEP<P9";
     "OoPEOkP;P9P1P2OiOYP5PAOjP7P?OkP0PHPKO[OaP:ObP8P0P5P8P8PCP4PJOkP4ObP>OePBPBOhO`OoO\P2O\P6OlOhOhOnP@OiP?P=OnP:OfOcOkP3P1O]OoOaPFOa"];
     bias := fractions 6 1 "UTPPOMSSOSRMROMS" |}
  |}];
  node_memory := {| written := {| weight := rows_of 6 2 ["PUOZO_OMPTOOPHO`PYPBORP3P:OFP5P\";
     "P:P8OjP>O[P^PSPDO\OEO\PUOFOHOmP8";
     "OFOFP3OiPCP=OGOKPQOcOcP<OmPLP:OV"];
     bias := fractions 6 1 "ROK" |};
    recalled := {| weight := rows_of 6 2 ["OFPSOM";
     "P0OlO^";
     "PROGP@";
     "P@P1OR";
     "OePROP";
     "P@OdPV";
     "OlP1O_";
     "OoP8OI";
     "P9P\P4";
     "P[OVP6";
     "P=OMO`";
     "OYP6OG";
     "OVOeP2";
     "O[OiPM";
     "P\PAO\";
     "O^OeP1"];
     bias := fractions 6 1 "DV_SCUNQ?]XHU^ZS" |};
    on := Qmake 1 1; off := Qmake (-1) 1 |};
  answer := {| weight := rows_of 6 2 ["OhOoPXP9OJP[P?OgO;OlPMOiPJP8P3P<";
     "P[OlOmOiPBP4PKP5PEOIOnP]PEOWO`P<"];
     bias := fractions 6 1 "c=" |}
|}.

Definition codes : list code :=
  map (bits 3) (numbers 1 "214").

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
