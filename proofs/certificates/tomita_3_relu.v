(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. The third one is about the
   network as it runs in floating point, in whatever order it adds.

   language: tomita-3
   model: b90200349a3374466679cf968020575b94e18d0a94eb2db393bb362a8d92d0b2
   verified content: 1782062ddf24e27b8658972ab98d7a01381e6170a130ff0f2aff96063c2db87d

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

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["12";
     "31";
     "45";
     "32";
     "55"]);
  code_class := classes_of (numbers 1 "22121")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 5;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "0011223344");
  hopeful := vector (numbers 1 "11111")
|}.

Theorem right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  recurrence_class network w = Some (class_of (answers language) w).
Proof.
  apply recurrence_is_right with evidence.
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions right_at_every_length.


(* The network itself: its weights, none of them rounded, and the code of each element. *)
Definition weights : recurrent_network := {|
  first_vector := fractions 6 2 "QAOgRfO[PeOnO@PeO0MiPfRMPRNaP=PjO>Q9OQPYQ2QZO\O1P6O=NiRPPTPHP\OEOhO?Q\NPO^O_NaObReOFPCP7OPOkP_NKPlNBPHO9ObOmP@O4PVNnPBOjONPIMeOO";
  symbol_rows := rows_of 6 2 ["NhN`OcONPcP_OYMlPNN_PNPKP2Q:Q@OdNPNBP\P[PUNLOTQhPnOKOhP=QJQTQ2O2O?P7OHPJPMP0PcPUOaPYOZP0PQRCNNNJO=Q3Q1PCO]OPPROJONPdQUSDNJN[QjOC";
     "OFPiQ1QENLRQO[PINFOMOLOJNlQ?O]P_P7PbO3P9PcOVQ2PNOQR@N0P0NfNnOiPcQcNRPRPIMINCOXP8PJP@PNPGPWO5P^O5OgMSOnOoQ5PINnP9OUOFQgO^P=Q:PaQR"];
  recurrent := {| weight := rows_of 6 2 ["OiOmOlP4P1P2P?OmP5P1OlOkP0OmOjOmOkOnOmP:P6P6P4P2P6OnObP6OoP1P2P8P3OmP7OoP=OkP1P9P2P2OnP8OiOlOnOjP0P1OdP2P:P6P<P1ObOeP7P7P4OmOfOd";
     "OfOlP;P>OiOoP4P:P0P2P=P9PAOmP0OiP3OiP;P2OmP>OnOkP<P@P3P;OmOgOcOoP0PAP3P<OhOkOnOmP9OaOoP<ObP=P4ObOnOiP;OkPEOnP>P1OlP8P<P1O_OoPEOi";
     "P7P3OhOcP?OaOmOnOnP5OoOmOeOoP@P@P4P;OmP<O`P0OlOcP2P7OoP6OgP5PBOhP3P7P5P1OeOmOiP1OaPAOfP=P;P4P9P5OgP1OcP7OhP0OeO^OhP:OiOaPFOfOdOd";
     "P7P6OnOoPJP4P9OlOfP7OkP3OeOeP?OhP<PVOjP;P3OfOhP4PAObOZOdP7P3PJOeP4P;P>P<OjPBOoP>P1P:P0OhOjP4P0P<P0P8OkP9OkP4OgOmP0P2P0OaP9OjOiOh";
     "P?P>P5OoPBOhP3P;PFPNP4O_O]OnP<OmOoP7OeOjP:OhP8OcP=O`P4P?P7P9PLPBOgP6P4P1P4P3P6OjOeP;OiP9PEP0P=P1P@P2OeOjP3PAOgOcP2P1P4OgP?OaP8P9";
     "OaP2P<OePIOjOfP<OfOjP7P:P:PEP1P:P8OhOjP7P2OjP6OkOdP3OaP5OlOlPAOXOjOjOnOmOmP=P8OdOlP8P6OmObP8OiP5OoP4ObOoOjOiOeP3P2P;O`O\OnO`P7OZ";
     "OkOhOmP9OnP5P:OiOnP7OhP<P5P9P3P8OeOnOfOYP5OnOjOiP3P:PLObP4OnP7P8P8P2P0OhOhO\P3P3P1P=OnOnP8PFP0P2P5OmP9P1P1P9OiP8OlOgP0OfP2PFP3Oi";
     "OaOdOoP2OmP2P2P9P9P=P3O\P5OoOlP7OiO_PAP0P6P5OlP4P0PIPEOoOoP<O\P?P0OeP8P8ObOlP0PJP5O`P3OlP?P2OeP1P7OoP4OhP:P2PFP6OeOlOkP=OiP2PEOZ";
     "OkP3OjP4OiPGOkOfOjOlO\P1P8P7P9PEOkPJOhOnObP1PFOoOcOeOjO]P6OhOfP8OmOnOZOWP:P?OWOlOcP2P>OjOmO]P=OiOnOoObOmP2O[P6P:OkP7O\OlP5OhOhP:";
     "P5P8P:OcOjOfP5P6P2P2OoP=OoOeOiOmP6P0OiP4OlOeP<P3O`P4P5OmP4OmPAOnOoP4P6P0OlOkP>OhOgOnOfP4P1P8P:P0ObP6P:P;OmP:OkP4OhO_P3OmOjP=P4On";
     "OiP4P8P1P2P8OWOdOfOnOkOoP@OjP2P1P:OoP5OeP0P1OiOaOjOkOoP1OoP:P9P4OfOdP1P9O`P?OMOnO`P0PKP5OfP8OeOeOdOaOcOmO[O_OnOlP9P?P4P8OVOoOXOm";
     "O^P:OhOfOcP1OcP2OkOaOiObOkP7P0OiOlP4P2PCOmP0OkOhOjP8O_P0OdP3OlP5PAOdOkP1P:PBOhOdOgP5P:OkOjOfP=P1ObP0OkPGObP2OdOiP3P4OmOfObOmP4Ok";
     "P5OhP;OlOeOnP6OlOoP4P9P>P2PCOXO]OnP:P=P9P2P8P1P<OkP1P7OiP1OlO_P<P8P@PAOlP4P6OjOdOcP5OXP5OjPAP?OiP6P;P1P5OeP6OnOdP2P4OiOoP0P7OlP4";
     "P2OoObP0P9P<P9OiP2OmOaOjOeO^PBP4OeP:P6O\OjOnO^P1OfP=P2OoP8P5P3OgOjP2O\P2OeP1P?P3P8P0OnOnP>OlP<P4P:ObP5ObP3OoP7P4OnP3P@OeOnOoPAOh";
     "OaP0OlOiOjOeP:P4OoOoP1OkP>P=P8OdP3P7OhOjP6P8PCOfP1O`P4P6ObOdOoP8OgP6O`P=P2P<O\O[P?P7P9P3OgO_OeP5OkP5OhP3P3P2OmOhOcP2OTP2OeP4OXP1";
     "O_OlOoOhOcO_P8P:P2P7P6P:P9P?OgOeOiOdP3OiOkP;P;P5P:OjP6P6OeP1OoP6OjP7P8P:OfP2OhP6OnOjP6OlOiP3OnP9P5P?OjP6P6P=P9P4ObOmOgP6O`P:P2Oj";
     "P2OgP4P6OjP?OkObP2P;PDOmOlP;OoP3OfOeOnP2OoP2P3P7OiP3P8P>P0P1OkOnP1P0OfP;P6OkP4OlOnOkP2P;OcP9OhP8OhP7P0OnP3P3P8PIP4PBPHP3OiP1P4On";
     "OnP9OkOgP>P;P;P6P7O[OlO]OTP0P0P6P=P7OdP:OkP4P6OlOmO`O^OhPFP;P3P2P@P3OlP6PHP6P<P0O^P8O^O\P;OgP1P4P4OiO^OYP8OnOnP8P8P@P1P@P7O_OcOl";
     "OaP1P9P<O]OdP6P:OlP:OkOhPGP8P5P<P4OlP4OmP8OiP;OdOeOlPBOoOhOgOfP5OoOlO_PDOkOnOcOkP6OiP@P?OiOiP4P1P0P3P0OoP;O^OnP>OkP8OnOmP2OhP4Og";
     "PAP8OXOmP9OjP9OaP8P5P3OfOoP9OjOkPAPHP3P:P8O`OYOeP4OZP:O]P:P@P7OdP@P7O_OaP:P7P3P0P3P0OgP0PRP4P:OnOdP1P;OdO_P1P8OoOnPAP<OfP3OdOlPB";
     "OoP>OmOfO_PAOfOmO]OgP4OeP7P6PDP8P6P3OkP7OaOnP<P<OlP3P8P3P3P1OkP8ObP8OjOkP?P2OhOoOiP5OnOnOiOoOkOhOaP2OlP6P1OkOcOkP9P5O`ObOnP>OgP:";
     "PNP>OjP1P3P5OlP2OmOaP0P3P0OlO^P<OcP9P>OcP;P2OmOkP:P4OlP1OhP2OkP=P2P8OlP=OiO`OeP0P6P2P6P3P4OoP2P8OaOjP7OjP=O]OnP2P4P=OmP3OiP0P1P8";
     "OiPBObP1P2OmOhOaP1OcOkP8PFP0P=O`O_OiOgPBP0OoP4P3OaOiP5P0OlP4P1P9OgP6OnOlOiOoOjOnOdPCP1OlP0OiP3OkOhOjOnOhP5OiOiOcP<P4OgOoP3P=OZP;";
     "OiOXObOoOcP3P0OfP2OgP0OkPDObP9OlP9P1P;OcOoP1OiO]O`OgOkO`OaOjOiP4P;P4OnP<P<O^P5OgOgOjP<OkOjOgPCO_OiOlP4OeP9OiOlP@P0P6OgOjOjP8P1Oc";
     "P5O]P0O`PIObPEOnP5P8P0P>OjP>P2P>P1OmP9OjP1P3P0P=P5O]P2P4OaP5P0OiP3PBOlP:O^OhP?OoPAP<OmP8P7P7OgOhP;P2OjOcO_OhPEP5OnP;PAOnP>O`P1Ol";
     "P2OfPAP5PAP<OnP2P3P>P4OeP5OhOgOlOlOjOhOfP:P3OiP:P2P>P<P>P;P0P<O`OmP8P:OgObOfP3PMP5P3OjP9P=P7P0OoP<P6P0P>PNP<P0P8OaOmPAPAP7OcP8Oh";
     "O^OXP@P5PBOgP>OjOiP:PCOkP?ObP5P;OnO[P6P1OkOhO_P1P0OhP4P9P4ObOdP4P<OnOaPDOhP3P9P4P;OiOiP@OkP1OmOiP>P2P6OhP9OhPCP=P0P:P2P:ObOeP2O`";
     "OnOoOeOhP7OjPJO^PAPAOoO]OgOUOfPCP8P=P8P1OfP2OgP2OkP0P<OmOfP4OfP1P4OiOgOkOlOiP7OeP8P2OgOXO`OiP4OkP8OmOmP4OnOcP0P8OmP8OkOmP7O_OlP3";
     "OlOeP:PBP3OfPAObOnP;P7P4OaOfOgP2OhOnP0P5P5P5OfOgP9O`P4P4OiP:P7OfPNOkOoP9O]OfP>P3P7P7P4OnP?PAP8P=P4P8P2OkOmP4P4OmP0P4P9P3PEOhP5Oa";
     "OoOmP4P9O_OUOmP4OXOjP<OkP;OoOnOiP1P=P4P0P4OnP=OkP?OjP5O^P5OaO\P0OnOdOgP2P6P6O`OjOeOmP3P9OiO_P2OcObOlP4PEOoOgP:P1P8P3ObP1OYP8O_P@";
     "P3P>P6P3O`P1OdOlOnOhP5OfP3OcP1OeP4P8OlOhOkP3P1P5P8O^OoP2P2OoO]PHOgP0OmP9PDP8O`OaP4OkP4P9OiOnOoP5P6P:P0OnP7OnOmP5OcOeOcPFOfP3OcPA";
     "P2OeP3OhP9P0PIP5P<OgP;OnOfObOeOmP=P2P:OkP1P=OkP7OfOmP2ObP<P2P5P4P:OiOcOjP1P6P7OdP3OjO_OoP6P9PDP=OeOnP7OgP3OlOlP5P5OfP?P8P9ObP?Om";
     "P5P?OgObP0OkOiP2P@OcOhOkO_P3P<OiP3P6P0P5P7P2PAOlOjP3OhOfP;P0OmP8OlP0P4OlPGP6OWO_OgP:P5P6OhOoP6P;OeOlP;P6PCP7OoOcOfOoOfOoP7P0OgP3";
     "P3P0OmP1P?P9P4OiP7P9P1OoOdOfP1P0P2P7OiP@OiP1P<OmOdP2OoOaP9P8OjOcOnOfOiO^OgP3PDOnOiP8OlP2OlP;P3OkOmOkP4P8OiPBOlOnOlOhOjP1PGOmPDOg";
     "P:P6OdOiOoOhP4O`P6P2O`P1O[P:P=P;P0OjOcP;P0P4O^O`OnO\OcP;P8P<P;O\OmPCOlOiP0P4OmO`P2P1OfP0OnP?P4OjOfOjP0OnOoOmOeOYP;P6P5OoPGObP>Ok";
     "O\P4P6P5PNOcP7OcOaP9P4OdOgOhP4PAP=P3OkP0P5P2OmOnP6ObP=P1OhOaP7OmPDOgOmPEO_OgP4P2PJP2P8OoP5PCP0OjP3OeP6OlOfOlP4OjP2P@P7P4P2OeP5Oe";
     "P7P4OSOoPBP?OhOkP4O]P0P=P0OeP8P5P8P0P5OmOgOeP4OlP1OnOkOgP9P<OiP;P7OfP<OcP?P7P9OmOmP@O^P3P9P@P9P6OmO_P0OdOiP;P4O_P2OkP0OjP;P6P0P?";
     "P4P>P1P4P1P1OeOnPEP<OgP1P4OiOkO\OhOjOlP:P6P4P=P:PAOmOlP>OlP7OnP;OiP0OkP0P=PBP4P6P2OnOjP;OnP;P8P;P1P4P3P@OoOnO`ObOmOiOhOlP7P;OiP4";
     "OkP1OfOlOmP1OiOcOdP2OaOoP0OhOoP0P1P9P?P3OlP8P0OdP1OcOiOhOkO^ObOkP7OoOlPDOUOeOgP0OoP7P6P6P5OgOhP4ObP4P2P:OnOdP1P0P9P5OnOhOiOgOoOl";
     "P4OnObP1P5OnP1OlOkP5P7OnP8P0P0P9P;P1OoP4P;P>OiO`OlOfOjOlOeP6OjOnP0P7O_OjOeOcOfOfP2P0P1PBOnOlOfOoP;P2OmP9P6OiP8O`P:PDP9OeP3OdP4Ol";
     "P:OjOkP1P8OiOjP1OmP>O]OeOfP5OlP>P4OkPAP8P3P9OdOgOkOjP5P4P:P?P?OkP:P4OoPKOoOcP<P:P9OYP8OjP4P8P=P5P4OlOeO^P3OnOmP3P0P:PGP6OmOcP3Oi";
     "P2P3OnPBO`OoOlP9P1P5OlP@OeOoOmP3P3OoP0OgP8P:OgOgOaOmP1O^P9OoP;OaP3P0P5P7P6P3P=P5P5OiP4OcP=OfOiP=P1OdOjOdP6P7OfOlOiOfP4OnPAP0P5P5";
     "OkOfP7P0O`P8OdObP8P<PAP<P8PDP9P3ObP9PHO\P3P5P1P2O_PDP=P4P7P7P<OeOgOlP7PAOdOiP4P0OnOlP1OcOlOlP4P0PDOnOlP0P2OcP5P;OjOePBP9OgP;P1Oi";
     "P5P@OmP5OlOoOoPBOiP;OnOmP;OVOiO_ObOfO]P=OdP0OiPAP2P:OmP@OgP3OlP?P7P5PBP4OgP2OiP?OgP8OePEOkPHOnP6PEP6P5P3P4P4OeOhOaOiObP5P8ObOhOf";
     "OnP1PAP9O^P8O_P4P3OoOgOjP9P2P0P7OlOeP:OhP?ObOiP2OZP4O`OhP>OkPEP>P6OdOmP2P7PCP0P5OmO`P4P6OcOaOfP8OoOfP4P4P>P0OiP0OoOhP<P5OVP=OnP3";
     "P>OlOmP?OcOjOeOhOfOnOaOoP8OhOnP@P3OnP5OmOoP6P1P7OdP4P=OfP4OlOWP<OoP5O^P4OmP5P7OaP2P4P6OlOiO\OeO^P2P5P6P7OjOhOmP4P:OdOhP<OSP4OdOj";
     "O^OjP5P=O]OkP2P1OhOhP6OoP>P0OaP2OjO\OmP:PDP0P0OlP9OgP>OjP3P0OgOoOjOnP0P;OaO\P5P3PIOeOlPCOnP<OiP7POP1P>P1OiP5OoP7OkOjP3P4OcP2OkOg";
     "OlP9P2P;P6PIO^OiP;P2P8OoP2P4P4OeP0OnOnOlOcOoOnOoP0P1P9OjP9OeOnP2OmOcOnP9OfP0P6OmOmOkOkP1OnOkP<OmP7P<OnP7OlOjOeP1OjObOhOiP5OkOnP1";
     "OoP5OoOgP:OmP0OlOmOhOdOkOkP8P>P3PBP;OhOmP3OiOdO\P2P5OaOdP1OmOlOmOdOnOoP1OgPEP:P4OmPAO`OgOoP6P@OlOeP:OlObOdP3OnP7P8P6PCOjP3OjP:P9";
     "O^P5OjOnOeP2OfO^PDOoOiOjOjO^P@P;P7P;P?P;OdOeP2OiO\PBOdOaP9P7P7OjOdOmP6O]PAPAOkP8OiOeP9O_P9ObP=P7P5P8OnOhOnO^OmOoOhOoP1OkP3PBO]On";
     "P6OnOmOnPCOgP:P:P2P?OoPCOaP8OmP4OnOgOnP1P5OnOfOfP7OjOmOiP1OhP>ObP0P1P3P7OfOkOoP3P<P6OhP5P4PCOkP3P5OgP:OfOhPDP=OgP6O[OoP1OoO[PIOm";
     "OhP5PAP=O\P<OhP:OnP6P=OoP2O`P=P0OmOnPIOcOoP3OfOnOaPCP7O_P6PCP0P4OgP0OiP6P2P3P8POPEOfP8OWOmP=P<OoP<P:P8P1P3O`P0P2PAOjP<OlP4OhOkOb";
     "P;OnOnP6P9P0PBP2P?P?P;P2OfO[P1P2P3OmOmP4P9P7P5PFOkP3P0OlP3P2OoP3P4P0OkO[P5OhP4OmP:O`P1P1OoP;P8P3P5OlP0O[P<OiP:OlOoP7P5OnPCOkP5P7";
     "OUP<OnP3O^P0O]P?OcP4P0P5PBOnP2P1P4P7OlOnOlO`P9OhP2OgOmP0OgO^OnP3O`P7P6PDOgP3O`P2OfP8P9P1OVOgOlP2P3P7P1OnP4PDOgOjP0P4OlOgOgOmOiOi";
     "P9OgOkOhPBOcP@P8P6P;OkP1OoOiP6P7P0OgOhP@OkOmOjOdP5P1P9PEOmP>PJOmP3P>OmObP1O`P0P3P5PFP3PDP5P:OkP:OhOgP3OmOnP?P2OfP2P2P?OlP9OmP2P7";
     "P9ORP9P2O^P3OhP5P8P4OiP8P>OoP?P1O`OePAOZP;OoP6O^OeOlP;P:P0OlP8P3O_O_P2P;O[OeP@PIOlOeP3OhP0P?P6P7PBOdP8OmPCP0OmP8O`OiP9P6P5P6P5Od";
     "P8OiP7P9OmPGOhOlP8P7OlP@P1P4P:OoO\OdPCOYP:OoOeOfOgP1OfP5OlOnOnO`OfOhOoP3OaOeOjOmP;ObP@OdOmP5OlP5P?P4P:O`PFOnP:OmOdP1PDPBP0P9OoOe";
     "P0P0OnP6P;P1PAP9OmP?P8P8P1OlOhPEO`OeP3P9P;P;P0P;PAOcP=P;P6OYP2OSP3PBOgP<OcOkP6P5PAP3P0P6OjP2P@OfP;P:P5P;P1OdP5OfP8P5P4P6OgOgP=P3";
     "ObOhP1OiO_PAOgO^OhOeOmP2P1P3OmOaOcOmP0OcPFP0P<P2OcP6OXOmO\OnP9OmO[O^P:P3P=OhOhP6P1O`P7PAOiObO^P<P>P9P6P9PEOcOoP3P9OWP:PCOaP7OaOc";
     "P9P3OUP1P;P8P@P4OkP5OfOeOnOoP5OjP4P:P9P8OkOiOdP7OlO`OgOlOcP0OiP7P@OdOeOfP6P0P2O`OmP@OnOfP;P0OoObOmObO]OgOfP;OlP3P6O[OdOhPFOeOmP;";
     "P;OjOcP9P;P8PIP0OoP>P1OkOeO`P5OnOnP5P4P6P0OlO`P5OlO`P2OhP0P:OoOjP?P7OYOgP7OnP5OkOkOoOgOlOhOcP6OiOlOaP>OgOiP5OiOnOcOfP5OmP@P5P1PB";
     "OiP6OlOcO\OiOgOgOdOcP7P2P5PHOnOoP9P4P1P1OhOeP=OnP4P6OoOkOoOjOgP2OnOhP1P=OlP8OaP7OaPDP:P4ObO^P0OkOgP:ObPKP0OgOVP6P6P<OfP5OROdOWOk";
     "PGP9P3P4P?OiPDP6P0OnOmOeOiP4OjP0OlP4P5P@OlOkP=P0P3OcP@P0P7O]OfP1P6P3OkO_P0OiOnP5P4OmOeP4OhP2O\P9OkOfOmP0OkP2P6O^OnObOiOgPEP2OlP9";
     "P6P1OaOiPDP7OkOgP1P2OlP0OZO^P4P3PBP4OhP>OnOjOjO`OoP8O_P5P4PFP8O`P9O\OnO_P4P1OjOhOgP;OnOhP>OgOoP4P1O]OkOhOhP:OkOdP<OnOnO`PDOfP0PB"];
     bias := fractions 6 1 "KMKMKNSTYPTSKUOKSUTVOPMWPJQTPNOSLOQSQIQNWVVJUPLPR[MVSOMXXMMSTOKU" |};
  cell_memory := {| written := {| weight := rows_of 6 1 ["GZDEJGZa:cA<EK@NfGEJOL]FFbS9A4VaDQN9QUELQVeNYCcV@cP]^QR`OKSDBTTK";
     "YHPBJ?V9]N6>VBYRDRcCCXUKUOfOPMDKGDDaHHhc5F@^A]SS?@Z[MXIHFdEK=PfB";
     "5;7MUMPRggd^P>NMQ5FF]P?[FXF=<fQSNP??bQ`W6G9TU[<IAM<5:9UNN9Z\QB_5";
     "MeM4JKZN[TTS;GhZ]R]FN9JTI`DBANjK?`6EfPJQFU\>fC`UBm@V]\BYd=[IN5[G";
     "ROSV2RK;VQ<A4J<AKmL`G=j=3W^EL@DSW6]NRT77AQ?MJ9AnE?SKa9NE:@<SY7lh";
     "c[^]jZKKR=]U`>K]IO=IMZWGlFLBb<@7QVNKbYXVRETVIAP@LRZ;<fj:MERBG[SL";
     "P9dkTD[B9KEPkHQQPafWKbiSb@]IiQG9jRl_MDFW_SM\8AES_2QBWcO:NRAZOd_V"];
     bias := fractions 6 1 "NJJSFJU" |};
    recalled := {| weight := rows_of 6 2 ["PAPFOoOaONPFOX";
     "ODP=OPO:OoOaPI";
     "PROlPROhP4O^O:";
     "P7P>PZPLOhOZOX";
     "OWO]PKOWOIPYP8";
     "PMPDO2PaOlOdPH";
     "ODOgPSP3NfP4P@";
     "PQOkPDOZO]O\O[";
     "PDPVO^P=OkPYOA";
     "OaO]P6P`OTPJO^";
     "OgO^P@PROTOUO\";
     "P;P4O_ObPHP9OI";
     "OmOlP6PBPKOTOg";
     "PEO=P0ObPAO[Oo";
     "P5OiOhOkP@P@PZ";
     "OeOmP>PKP5PPPU";
     "OaPHP9OTP]Q4P@";
     "OlP4P<OKP@PKPl";
     "PLOgP<PmP:OoP6";
     "OZP:P>O>P:PGO`";
     "PHO_OjP:OeOhOE";
     "OKOcObPQOOOSO_";
     "ObP=OYO`P<OPO_";
     "P5PWPCOkOfO_O?";
     "O]OTPEOROMOeOC";
     "PhObNnPIPEONNc";
     "OPP6OkPaOPOgOG";
     "OmO\P0P2P1PBOT";
     "P:PUOSO^O]P8Om";
     "PCOTOWOmOSPDPY";
     "PgOdOfOVP=PbOf";
     "P3P7OWOFOdO=P1";
     "OIP1PdOnOiPPP;";
     "OMOnP6O^OUOhOL";
     "PVOTObO[P0P0Oh";
     "PIOEPQP6PXOmOi";
     "OlPeOdOUOoOeOl";
     "PJPGOfOAPIOnPQ";
     "P:P:P<PNO`PVOd";
     "PfOPO_P6P4P@OW";
     "P4PAPcP<OjPMOO";
     "OVP4OfNaPGPbP5";
     "P;OhP@P4P^O^P>";
     "OROhOoOeP>P1OF";
     "P8P?P9OkOUPQPP";
     "OfOZOdP6OfPaOX";
     "PBP2PJOXOePKPd";
     "PSOiO5OWP3PNOb";
     "PQP0P2P]OfP<O0";
     "OVO`ORPEPLOgOI";
     "P;OePGPQOVOYOa";
     "PIOQPBOLP0O8Oh";
     "PHP2P5P7OaO^Ok";
     "O`ObOKOnORP?Od";
     "O[P=P4PZOkP9OO";
     "P>OlP\PTOcOKPI";
     "OQP5P1P2PFPGP>";
     "OPOZP=OgPEPJPP";
     "PSOnP<P;P@PdOa";
     "PAOeP0P6O]ONOf";
     "P=PLP8OXOVPmOe";
     "PCPOOOP0P6OIOm";
     "P3OcPkPOONPGOm";
     "OXPbOiOfOnP0Ol"];
     bias := fractions 6 1 "PHWVPKQQWRNUNUHTSTYO[VTUKWTLUQOSRPJTPOMWSJTLIIJTSYNOKKURJRSWOPNF" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 1 ["R=f[S[KkkK`Ja^2S@YmMjaYZ_WZV>QO=GaIZ5VjKH:^PAUHBcLXeOUeTK7\aWEO;";
     "F^5ARXL:>D:KM7kaU]HW8Vc57XH@g_`iF[8:^XQ@IVVE[Tnh3;BHQbDF`mP:PVDN"];
     bias := fractions 6 1 "WI" |}
|}.

Definition codes : list code :=
  map (bits 7) (numbers 2 "03050H0Q18").

Theorem network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  recurrent_network_class weights w = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (recurrent_network_as_table weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions network_right_at_every_length.

(* The network as it runs in float32: any answer that may come out, in any order of additions. *)
Theorem float_network_right_at_every_length : forall w : word,
  is_word language w -> in_domain language w ->
  forall found, float_recurrence_may_answer single weights w found ->
  found = Some (class_of (answers language) w).
Proof.
  intros w Hw Hd.
  refine (float_recurrence_as_table single weights codes network language _ w Hw _
    (right_at_every_length w Hw Hd)).
  vm_cast_no_check (@eq_refl bool true).
Qed.

Print Assumptions float_network_right_at_every_length.
