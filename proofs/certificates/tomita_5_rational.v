(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, folded in a tree. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. The third one is about the
   network as it runs in floating point, in whatever order it adds.

   language: tomita-5
   model: 6f0280c20fe1be2a521c242239d368fd6ec657ae3d3173cd7666016b0a63a1b7
   verified content: e79a398e8c368d4a424675f9fdf01d595391f0f7c257cc7e88b20ecc3c7b6b80

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
     "03";
     "30";
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
     "03";
     "30";
     "21"])
    (numbers 1 "1000").

Definition the_matched :=
  triples (numbers 1 "000101202303").

(* What chunks become: their first elements, then the results for each last one. *)
Definition inner_0 := from_rows 2
  (map (numbers 1) ["034";
     "112";
     "221"]).

Definition inner_1 := from_rows 2
  (map (numbers 1) ["01234";
     "112";
     "221";
     "334";
     "443"]).

Definition network : tree := {|
  chunk := 2;
  tables := [
    {| interior := inner_0; edge := inner_0; reading := from_classes (numbers 1 "2111") |};
    {| interior := inner_1; edge := inner_1; reading := from_classes (numbers 1 "2111") |}
  ];
  repeat_from := 1;
  empty_class := Some 1
|}.

Definition the_maps := (map (numbers 1) ["1032";
     "2301";
     "0123";
     "3210"]).

Definition level_0 : level := {|
  table_number := 0;
  inside := with_maps the_maps (pairs (numbers 1 "1021"));
  begun := pairs (numbers 1 "1122");
  good := 15;
  steps := vector (numbers 1 "6996")
|}.

Definition level_1 : level := {|
  table_number := 1;
  inside := with_maps the_maps (pairs (numbers 1 "1223"));
  begun := pairs (numbers 1 "10233142");
  good := 15;
  steps := vector (numbers 1 "9669")
|}.

Definition evidence : evidence := {|
  machine := the_machine;
  num_states := 4;
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
  symbols := rows_of 6 2 ["O[OCPMP:PIOJO]PbP=P2P@P9PUPVPTOV";
     "P0P<OWP8P=P5PAPOOfP?O[P=P?PWO>OJ"];
  pad := fractions 6 2 "OQO\OlOeP3P8P7OKP>OVPBOjO_P>P@P:";
  query_scale := Qmake 1 2;
  share := Qmake 1 2;
  layers := [{|
    heads := [{| query := rows_of 6 2 ["OgOmPKPOP8P3PKO^P>ObO]OeP;PEOcOo";
     "P<OiP1P2PBPFOZOfP:PEPHPIP7OVP5Oa";
     "OUPSPGO_P=OjOhOYP9OZOoPIPOP=OKOZ";
     "P9P8O\OePSP4O^ObOSOgOQOdP:P5O]PA"]; key := rows_of 6 2 ["P=OgP>PCP4P4OhOePCP3P3PHOiP<P5Og";
     "P=OiOgOhP4P;PGOoPCOmOWOcPBPAOaP7";
     "PJPQPLPMOiP3PKP7OjPNP6PDObPAOaP6";
     "OmPDP1PDOmPEOaP4O`O_O_P?P>PIP=OT"]; value := rows_of 6 1 ["3?FTAbHO`UiXH9Wl";
     "D4\]G4;ZQBYYh^XE";
     ">iZ]=iha>L?gGJX@";
     "=RNCeM[d`WjNDm[1"]; offset_bias := fractions 6 2 "PhQ=" |};
      {| query := rows_of 6 2 ["O_PLPIOYOgOjP7OjP@P1O[PGO]OcOgO_";
     "O`O^OdP9OfP3P<OmOjOfP3PBPOP=PFP3";
     "OWO`P>P0OfO[OTOcOgP@PCOPP=O[OjOf";
     "OhP4OSOaP3P4O^P7OROiPAOiPQP8OMPC"]; key := rows_of 6 1 ["@EDY9A?Dgfd``Lbf";
     "T`^WBTULGDC^^KLf";
     "[UEi\Ac\FZANfP=H";
     "GSMlXGK[V7I?KV8Y"]; value := rows_of 6 1 ["G;fJ9PbW\V_GBAFW";
     "HZWWBkE_>O\E\C6@";
     "[gD[KRbFRnTZ?g9G";
     "J]TfQR\Q_APL\[J>"]; offset_bias := fractions 6 2 "PiQ:" |};
      {| query := rows_of 6 2 ["P7O]PLOVOiP3PNP>PFPEP3OcOMPGPNP;";
     "ObP4OUOiOdPFOZP=OjP@OaOQOXP>O`PK";
     "P;P=OlP2P:P5OkOoOTO\P?O]P3PIOnP2";
     "OUP>OVOgOhOfOlPMOmPEPCOZP;OTObP?"]; key := rows_of 6 1 ["gR?KY?U944?i@]=\";
     "TG[gof=gI_?E:GK8";
     "RfKKISPjRLZ5@[:V";
     "@N6fXkU^GFHQ_?XJ"]; value := rows_of 6 2 ["P>P>P3OhPDPNP1ObP:OcP6OoOaP:OOP2";
     "O_OmP2PAOeP?OkObO\OUPGOiOoP3PBPH";
     "PJOWOmO\O`P3PAO]P:O^OgPCOfOkO\PK";
     "P0O[P=OZOWOjPGOcPAPBP9OkP1OiO_P2"]; offset_bias := fractions 6 2 "Q1Q6" |};
      {| query := rows_of 6 2 ["PAPEP1P5P?OHPFOOP5OgOUP@PQP1OUO^";
     "OYPBOjOfOeP6P>P<P=OdO^PCPPP?OZO[";
     "O^P0OgOUPEOTP1P1P6O]OPPOP8PLO_P4";
     "O_P3OXP<P<P7OeOiP?O^PHO\O]OnOnP<"]; key := rows_of 6 2 ["OcOWPKP:OPP4PCPCPKOjP:P8O_P<P0P=";
     "OlO[P=OoO\OgPEP5P?P1P>O^OYOmPMOf";
     "P1OYPOP<OWOTOfP3P2OfOnP0O]P;P1Od";
     "OlPPOZP<OoPOOUO]P@ObP:OjP3OgP=Om"]; value := rows_of 6 2 ["PDPDOmP7OmPCO^O`OjP5OSPFP<OVO`PK";
     "OSOoP1O^PCPAP9OZPFO]PQOTOaP;P9P3";
     "OmO]P0OUOkP0P1P3PEP1O]OmO[O_OhP1";
     "P4OkPAOaP0PGPHOcP7P5OmOeP7ObP;P7"]; offset_bias := fractions 6 2 "PoQ<" |}];
    output := rows_of 6 2 ["OgPMOiP=PROdP<OgOlP0OmO`P:OkPEOf";
     "P=OaOQP<P3OfO_P3OnPGOmP7P8P1PDPG";
     "P9P1OnPJOhO]PBO[P3OePCOUPEPGP0Oj";
     "PKOXP0O^OhP=P7OjO^P2OmP0PLPKObP2";
     "O_OXO]PHPEP8PCO^P7PIOjPKP8PJObP>";
     "OQOdPBP@PFPMPQPGPLOkOWOdOhOfP>P9";
     "P5P:PDP8O]OXP@P8PDOPOWP?PNOJP;O_";
     "PFP8PGOUOXPEPHP?PEOYP?OQP;OXOcOn";
     "OcP6OPOMP?O]O_OgOWOTPLPHP9O[P9P8";
     "O]OkPFOLORP9PGO\P=PCP;P4PVP<OYOk";
     "PJPFOOP=OeOYP1O]OjOaOYOnO`PEP0PD";
     "OlOePMP;P7OdP5OoOmO]OjOXOaPIOaO[";
     "OcOnP7OoP;OaOlP<P=OmObP9P6ObOaP8";
     "OjOQOfP<O_PIPJP5OmOaOlP8OVOjOTPA";
     "OXPPOnOdP<P6PHP>ONPCOgOaP@PAOKOe";
     "PNP<P>OaOhPAP5PJOhO]P2OXPHP9P?P5"];
    expand := {| weight := rows_of 6 2 ["POOQOlOFOJP@PTP<P<O^OjP?PAPJPFOg";
     "OnOdOiP8O`P7OlOmP3O`P6OiOhOmP;P>";
     "O\P0O]OdP9P2OeOgOdP9OdO[OlOeOeOn";
     "OnOlOaP4OjOnO]OYOnOVOdPDP:P8ObOh";
     "P2P3PBO`OlOoOgOdP?OaP?ObP8OaPAO\";
     "O`P8P=OcP0P;OgOnO^OaOmPFP;OcP6Ok";
     "OdOkOeP5O\ObOiOnP:OlOjO`OlOfP7Oa";
     "OkOTP3P8P9OgP6P>P<PJP8OcP3P0PFOh";
     "P;P;PEO\ObOjOiPEP2OhOmP2P4OfObOY";
     "P;P;OdP3P>P1OjOoOmP2O`P7P9O`P6PB";
     "OfP2P;OgP5P9P>O_O`P;P8OdOkOcOnOf";
     "PFOXP<OnP2OcP=P;P<OYP?PDOdP;PIOX";
     "P;P6P6P=P=P?OoP=O_O[OhOnPDP8P2P:";
     "OfP6P3P3P8OiOiP:OmO\P1P?P0OfOVOa";
     "OnOXP<OkOhOiP7PJP?P?OfO^O`OkPOP3";
     "P7OVP:OiO[OmPFP2P:OiOkOjOgPCP1Ob";
     "OjOlOiOcP8P3OdOkP<OgP3P4OgP0OnP?";
     "P0ObPCOYOgPAP1PEP?PBP9P6O_P5PCP0";
     "P5P?OaP?P=P@P5OjO\P?OfP=OaOnP7P6";
     "P6P7OoOlPHOcOnO_P<P7P:OhOZP@OgP=";
     "P=P<P<OXO\OWOhOYPFORP3P2ObOcPOOn";
     "P1O\OoOcP:PHPBP:P=OgOZOoP0OgOiOm";
     "O]P=P9P:OfOVO]OgP?ObOjO_OkOWOUPA";
     "OeP6OhOfP8P6ObOfOfOTP5PIPGOfOoOa";
     "OiOhOgP9P2P7OhObOfO]P6P=PFOmP4P2";
     "PHP6OfOPO^OmPKPJP2P@P1P5PKPQP6O\";
     "P9P2P8P;P4OWOcP=OoOaPFOhP6OaP9Oi";
     "OiP4OjP8OjP;P2OhOjO\OhOcP1OmP1Of";
     "P6P:OgOjP?P9O[OlOmOcP=OoPCOoOoOf";
     "P2P5P<OmP6OeP>PCP6PGP4O^OaP6P4Oo";
     "P;PDOgP>OnO\O[O^OlOmO_OYP<O\OhOi";
     "OeP=O]OfP<OcOgOcP7O^P1P5OmOmOYP:";
     "P3P7OdP@P;OiP9P4OhP1PEP6OiOoPCOf";
     "OnPKP;OmP5P0P2OiOcOjOmP=P1P0OUP2";
     "P=OfOhOnOmO]OhPAPDP@P?P8P;P?P5Oh";
     "P?P@O_OfPCP=P6OeP3OQOgOdPAOhO]P3";
     "OeOhP4P8OcO]P2P;P3OdP6P3ObObOoP;";
     "OfP?OcPCP?P0P3P2OfOoP3OoPEOdOjOi";
     "O\P9OhOiP0OhOhP>O`PAPCP1P3OmPDP@";
     "P0P@O[P1P5OYP5OfOiO^P?O`OgP6PBP3";
     "O_OaOnOcP:PDPTOHP4OdOlP6OcP<PIOk";
     "P6O[P4P3P5PDPEO^P9OdP8P<O_P>P;P4";
     "OgOeOlOeO]OcOmP?P?OfP5OeO_OlOlP=";
     "OgP2OcOnPBOoP0PFOmOjOfOhOhP:OcP?";
     "OgOnP8P?P?P7P3OjP:OjOiOeOcP<P3P=";
     "PGPJP7P6PEP@P1P6OlP>O\P8O\PKORO]";
     "OmP=OfP>P5P<P7P>P>P:P7O`OhP0P3Ok";
     "O]OdP6PAO`P9ObOdOcP4P:O]P7PBP8P@";
     "OlOfP5P5OeOcP9P8PGP0P6OkP;P4PAP4";
     "P:PDOlPHOiPBP9PAObOeOoP0P;OiP6P0";
     "ObP=OoOlOnO`OhP2P8O^OeO[P3O^OoOl";
     "O`OiP4PDPBOoO\OjOkOoP4P@P=P6P5P0";
     "OoOjP0OgOaP3OgONPGO^PCP>OeOjP@PD";
     "OhP2OoP?P6PCP4OmP4P8O[OlP;P@P5Ok";
     "P:PAO`OaOiP5OeO`OhOoOnPKPEOaO`P4";
     "PBP9OdOlPGOkObP0P5OdOdPDOmOdOWOc";
     "OeOjO`OhP9O_OnOdP;P9OmOeOcOaP2P4";
     "P5P6P5OeP4P6OYOjP=OiOaP3P5OiOfPB";
     "P;P4P2P<P:OkOoP;OePEOgP3O`P3PAP5";
     "OmP>OdOoOaOcP0OfP1P1P?OlOmP<OiP@";
     "ObP1OhP@PAOcP3P2OgP9PDPCP;P;PFOd";
     "ObObOcP6OmOoP1P:PCPIOXP8P=P:OfP6";
     "P1PLO^OmOcO_P1P4OeP8PCOiP4OfP<Oe";
     "OhOaObPBP1P6OkP=OcP0OeOdP=OhP5Oj"];
     bias := fractions 6 1 "NPUULPSKNRMQSQROSQSSONQUVZROVHTQMQOVTPPUWKQUN]JOOOTMRNOVQQOMWPOM" |};
    contract := {| weight := rows_of 6 2 ["PIP7OgPKOYP6OnP7P?PCOoOoP@P@P?P9P1PHP1OgONObP@P<P4PGOgP3P1PBPFP@P:OjP3P:O`P8OdP4P@OoP;P8ObPEOhObP1P4P9OnOWOdPIPJP8P<P8O^OoOROgOn";
     "PMP3OjOkOgOiP;OjP1P8OhO]P?P4OjPIP=P7OgP5PSOnP?OXOgPSP2P5P2OkOlP8OmOfOhP0P3OcP0OhPHP2PGP<OgPMO^P0O_OdP5OdPSOfP:P6PEOcOaOlP6P3OoP1";
     "P1OcPBOoP=P5OhP5P6P5OaPMPKP@PIP6P2O^OjOcORP@OhP@P6P1P1PHPHPDOoP4P=P6P3PMP0OlPAP4P8O[OoP<P0OgPCP>P<P9P2PFOTOlP?PAP6P8P9OlPBOXO`P;";
     "OSP1P5OkP@P3P5OjP1P4P@OZOkOdOeOjObOhPCOkPVP0P3P6O_PGP3OiP4OlOeOoOjPFP7OmOdP0P3P<P5OlP8OjOjP4P0P8OhPIOkOdPEP0OhP?P1P9P4OmP;OmP0P6";
     "P>O\OoP3P7P6P5P>OmP1P:OmOcOnOhOnP=OgO\ObOdP2OhP@P3OJPAP5P@P3OkOhP8OfP>OaOcP5OnOhOVP9OgOZP<OgOcObPGOhOfP<OWOoOjObObP5OdP<P7OdP8O^";
     "OQP4O]P6OmObOWP0P6OkOcO`P4P3P2O\OlP4PGP=P?OaObOnP3OhOhOgOdPDOaOjOeP0P0P8OfOkP<ObOTO`P:P1P2P<P<OgP4P7OiP3OVP:P7OeOYOgP>O`PDO_O\P5";
     "OjOoOkOjOcO\P6P0OfOlO`OgP5PAOkP2P7PIO`P;P:P1OfP8OhOmP1P?ObP=P0P8P9P7OXOfP5O`P0ObOjP@OfOdP8OkP;O^OlP6P8O_P9OmPEOdOgOnOjOgOWOUO_Oh";
     "OcOdP5PHOhP7OoP@OgP3PCP<OdP4P;OnOfOkPAOkObOoOfP?P>P=P4P6P?PDP7P5OaPDPBP4O`PCOlP1OnP>P@P=OmPKP>P2OhP1OaP?P<P5P?PDPAOkOoO`OjOeP2Og";
     "P:O^O`P8O[P3O^OgOlOaP:PCOdOoP9P:OkOWP5O[OTP5OjP0OaOYP0P:OjP9P3OfOjOfP9OmP1P<P1P6P1P7P4P5P<OMP4OmP2OaP;P@OPP5P?P2OnPCOnOhP2P0P5Ol";
     "PKP7OfP:P?P3P7PAOdOkOlPQO^P3O\PFP;OiP<P4OaP@P@P2PBP4P>P:P:OmPAOfOgOgP6P?PAP<OkOjP0PDOeOaOlOSOiOgOoP>P6PAP=P4OlOcOiPAOiOhPBP;OlOe";
     "OmOePBP4P:OaP2OZP;OjP2OhP7P;OkP:P3P3ObPJPCPFOjOfP6P6P9OdOoOiP;PCP9OiO`P4OmP7OmPAPOPBP9P>OgPJOkP;OgOmOkP:P<P8P3OkOhOXOdPHOcPGP@Om";
     "OTO`P0P4OfP:OnP0OnP5OgP6OlP@P9OXO\ObP5OdOKP1OhP@P?OUOdOoP3OnOgOmP6PKPFP8OjP8OlOgOfOWOWOkObOjOcP:P5OgOcP8OMOiP4P>OoOhP<P2P4OkOfP1";
     "PJOjP?OhOlOgOnOlOcP6P0P4P0OoP9P8OoP3P3P4OgPMP1PCPBP0P;P:OoP9P=PAP5O^PHP9PBP4P<PBPDP:P7OfP4O\P3OdPDO]PAP>OePFOfP0P@P1P?OoP0OmOoPD";
     "P3P4OoOVPNOlOnOZP=P7PCP8OcP4OgOnP0O_P>P@PAP:OmObP5OYP?P8OjO`OnObPCO\OkO[P<P8PBP9PDOnPDP?OhOnOcOmP3OjOoP8PJPFOcOTOdOmOlOnP?PNP>Oo";
     "OjObP9OnOoOoOdOjOmP4O`PJPAOdP8P4P@OaP@OfOLP>O^PLPEOgP8PEP<P=P6OiP5OoPKP1P0P0P8OnOnOdO^P3O_ORP;OgP2OhP0P2OQOgPEP>OcOoP;OmP:OmP?P5";
     "PIP9OmP=P3OhP0P0OeP;P8ObP5P6PBPKP;PGOYOcOjO`P8P3P7PCP8P:P1P=P=OnO\PAP2P@P7OoO\OkOgPEOfP9OXOkP4OlPFOiOgP;OoP1P0OoOeP7P3OaObO`P;Oj"];
     bias := fractions 6 1 "RSVTLONUKSUNSQQN" |}
  |}];
  node_memory := {| written := {| weight := rows_of 6 2 ["P]O]OjOUPJOXP@O`PXP7OLP:P:ODP<PR";
     "PCOlOmP9OeP\PSPBOcOOOYPXOKONOmP:";
     "OCOJP0OjPPP<OSOPPJOoOcPBOkPKP@O]";
     "ONPIOOOkOiOYPEOTP<P4P@OHOlPIOOP4"];
     bias := fractions 6 1 "LMLL" |};
    recalled := {| weight := rows_of 6 2 ["P2PKOaPB";
     "O_OmP7OB";
     "PAPRPEP;";
     "OaP:P2OK";
     "OgOfOlO@";
     "OTOmOoO\";
     "P3PNPPPD";
     "OOOlOaP7";
     "P8P4PFPM";
     "OXPHPJPE";
     "OMOSP=PD";
     "PVPGP:Ob";
     "PTO`P;ON";
     "OgPAPGP6";
     "OgOQPKPZ";
     "P=OJOMPW"];
     bias := fractions 6 1 "G[[ZZHRPHGPW]HCG" |};
    on := Qmake 1 1; off := Qmake (-1) 1 |};
  answer := {| weight := rows_of 6 2 ["ORPYPAP8OlO\P2OoOYO>OEP<PSOhOFOA";
     "PjOkO\OGO?OfOmPDP:O^ObOEONP1P1PD"];
     bias := fractions 6 1 "]C" |}
|}.

Definition codes : list code :=
  map (bits 4) (numbers 1 "1824").

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
