(* Written by lengthwise 0.1.0 from a checked certificate.

   The first theorem is about a TABLE, followed symbol by symbol. The second one is about the
   NETWORK, with its weights as data, in exact arithmetic. The third one is about the
   network as it runs in floating point, in whatever order it adds.

   language: d-4
   model: fa7b5f4d15bf57c00d922d7aa2c0c8c2d5879fbad91cc839ab105dbf8a6a5387
   verified content: 0d93e9090c1efe54d22a193d2b04450c78253129b8d16cab1d8ca4aad3d0f7aa

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

(* What codes become: a row for each code, and what it becomes for each symbol. *)
Definition network : recurrence := {|
  first_code := 0;
  next_code := steps_of (map (numbers 1) ["23";
     "41";
     "33";
     "52";
     "64";
     "35"]);
  code_class := classes_of (numbers 1 "211111")
|}.

Definition evidence : prefixes := {|
  reader := the_machine;
  num_reader_states := 6;
  outside_class := 2;
  matched_states := the_matched;
  reached := pairs (numbers 1 "001122334455");
  hopeful := vector (numbers 1 "111111")
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
  first_vector := fractions 6 2 "Q?OdRUOZPRO`O>PgO1MoPSRKPPNaPHPbO;Q;OcP]Q6QWOLNnP3O>NcRaPRPGPmOHOgO<Q\NNONOLNROMRcOUPDOhOQP;PXNRPiN@PFOBP3O[OkO4PVNkP9P1OKPGMcOS";
  symbol_rows := rows_of 6 2 ["NhN_OlORPoPeO\MiPIN\PQPIP:Q;Q4OVNYN>PUP]PWNLO^QcPjONOjP=QJQQPiO2OJP4OCP=PRPAPaPVOcP`OQOjPWRANMNJOEQ0Q6P9OWOPP_OKOSPhQ[SCNFN\QdOI";
     "OHPnQ1QCNIRVORP@NFOOOFOGNlQ=OePkOfP_O5P<PlOVPkPOOXR>N1P0NhO3P1P^Q]NXPLPUMIN>OWP;PEP8PMPSPMO1PcO5OhMOOkP5PmPINlP4OHOEQgOYPBQ;PgQN"];
  recurrent := {| weight := rows_of 6 2 ["OeP0OfP1P1P7P<OdOlOmOoOjP3OkOjOnOjOmOnP6P6P7P2P3P5OmOdP4OnP6OnP7P4OlP6OlP<OhP3P9OoOnOkP6OjOdOnOhOlP1OgP1P<P5P9P3OdOgP8P6P2OlOcOc";
     "ObP1OhP4P6PAP6P5OiP4P<OiOoOkP<P2P6P1PAOlO`P;OfOYP5P7P0OnOmP;OdOmP1P9OoOoObOlP0O_OlObOiOkOnP5PAOUOcOZP8OfP=OnP4P9OnP>P5OmOeOnPKOi";
     "OhO^OfOeP=P3P5P1OjPHP@OaObP1PIPLOhP1PAOfOkP4O`O\OgPEP4OiObP:P>O`P0OkP:OnObO^P:P9P1OkO`OnPFP4PCP9P6OfP7P3P8OcOiP2O]P>OlOhP9OfP9Oa";
     "P5P0P9P;PBP4P2OmOnP7OlP>P0OUP1OdP<PROiP>P9OhOkPFP@OcOaOfP>O_PBOdP7PAOnP4P:PBP7P3P;P9P0P0OhP0OiOnP8P;OmP7OkOjP:OmP4OfOoObP4P3OlP8";
     "P7P0P=P0P4OdOjP4PCPQP3OoOfP;P?OmP0P5P8OePAOfP;OfP9OkP0PDOdOmPJP:P0P1P5PHOcP2P9P7OlP9P:PDP9P3P9P0PIP=OgP0P6OoP0OfP6P4P:OeP7OiP<Oh";
     "OkOkP:OePSP7P1PBOoP7P@OoOgP4OoPCP1OdP3OoOnOoOkObO_OoOjOiP7P6P=OSOlOgOkO\OlP;PCObP4OoOeO^P1P?P2P2P7OfOjOgP0OfOfP=OkP6OaO]P6O_PDO`";
     "OlOkOkP8P2P0P>OjOjP5OfP9P6P:OlP7OiP3OcO\P0OmOmP0P7P5PKOcP4OnP3P9P:P7OlOgOkO]P1OnP0P@OmP3P4P@OnP0P1P0P6P3OmP:OhP7OoOkOmOcP4PCP2Ol";
     "OgP3OmOmP1OmP1P>P1P2OoOaP1P0OkOoOmObP4PBP6P3P7P4P7PJPAOoP9P>OWPGOoOnP3OgP3P0OePAOjOgOlP4P<OnObOoOlP2OoOmP5P?P@OhOfOhO\P9OoP5P7Ok";
     "OiOeOgOmP8P1P:O`OiP=OcOoP2PMP?PIOjPMP3P4OaP3P<O`OjOeOiOgOiP2P3OmPCP0ObOmObP2ObOoOlP=P@P3OeOhP>OhOnP8OgOjOkO`P3P9P1PEOlOhP:OUP:Oe";
     "P6P8P;ObOkOgP4P6P3P3OnP;OnOcOgOnP7P2OdP6OhOdP;P5O^P3P6OlP5OiPBOmOoP4P4OoOnOlP?OfOiP0OeP5P2P9P:OlObP5P8P9OlP=OmP3OkO^P4OkOkP@P6P0";
     "P1P1P6OoP?P9OaOoOmOnOnOlP1OkP6P3P6P0P1OmOoP3OdOYOlOkOnP1P5PFP7P7O]OeP<P4O_PAOWP7OfOnPFOkOnP@OlP2OhOUOgOnO^OcOmOkOoP@P1P<O_OmObOk";
     "O\P=OaO`OlP6OnOmOjO_OjO^OhP;P0OlOcP3P7P5OlP6OfOdOhP9ObOhOjP;OaP4PEOdOeOaP8PBOlOaOfOgP4OfOnOdP=P1O^OnOjPFOfP;ObP4OkP1OlOkO]OkP9Oa";
     "OoOhP7OnOcOhOlO_OmP1OmP<PAPOOeOgP:PDP=P?OiOlOmP>OfOiOmP0OcOeOiOoPCP=P:P>OjP8OlO]OePAOgP<OeP?PDOcP0P@OgOjOZOhP6OdP?P?P6OdOlOmOlP8";
     "OiP7O^OkP1P1OmObOkObOYOlP2OlPLP1OhP@P2OgOcOlOeOjOgP=OgP8OjP5P0OjOjP2O`PDO`P7P5P0P1P;P:P6P6OiP<P4P2OiOlOhOnOnP1OiP3P<P=OdOcP1P7O]";
     "OgOiP5P0P:O\PHP>OlP;P;OkP3PAOmOcOnP1OgOnP>P=P=OnP;O^P>P4OaO]P1P4P2P@OdP;OhP2OjOcPIP4P8P8OgOfOhP1P4P3P0P8P8OoOgOnO\P5OYP5OlOfOfOl";
     "O`P:ObOaOhOkP:P6OiOjP2OmP1P=OmOkOkOjP3OnOcP8P7OlP4OdP0OjOmP?OnP4OjP2OmOnP0P:OhOiObOnP2O_P0OhP5OmOhP6OfP4P2P=OkP<OeP1O`P3OcP9OgOk";
     "P0OnP4P6OkP9OeOgOmP4P=P2OmPBOhOmOhOnOgP9P0P2P:P=OoP3P1P<P6P1OhP4OlP7OkP<P=P2OmObOgP2P4PBO\OoOcP6O`P6OiP4P2P3P1PCP0P=PAP6OhP6OnOm";
     "ObOjP:P0P8OfP9P5P3OkP8ObO^PAP2P4P8P2P2P2P6P8P5OhP3OgO`P6OoP2P?OoPEP4P7PMP0OgP?PBOiP1OlOaP2P4OoP2P@P2OmO^P?OgP5P?P7PFP<PCOmOWP0OY";
     "P3OoP@P8OnObP8PJP8PBOmOnP4P8OmP9P6OkP2P4PAOeP:OiOiOnPDP7P8OiP3P8OiOmOmP9OoOoOfP5P9OlOiP:P2P1P8PAP7OkP2OoP:ObOhP;ObP2OnOmPCOcP7Oe";
     "P;P5OcP1P7OZOmO_P0OnOoOhP5P@OiOiPCPLP1P?P2O]O^P0P3OYOlOeOgP3P5OfPCP6O\OlPAP=OlOlP2P3P2P7PNOmP:OdObP4P;OjO^O_P:OoP5PHP;OdOnOgOjP>";
     "P2P8OjOeOaP<OcOdOhOhP0P4P8P9PGP<P9P7P0P9O^OlP6P;OjP1P6PCOhOiP4OkP4P6OkP:P7P1P1P2OlP:P5P8OfP;OiOiOcP>OgOkOlOhP3OdP?P<OnO\P1P5OfP6";
     "PNP>OjP1P3P5OlP2OmOaP0P3P0OlO^P<OcP9P>OcP;P2OmOkP:P4OlP1OhP2OkP=P2P8OlP=OiO`OeP0P6P2P6P3P4OoP2P8OaOjP7OjP=O]OnP2P4P=OmP3OiP0P1P8";
     "OcP<OmP?OnOeP5OiOmOkP7PAPMP3P7O[OVO^OjP6P:P7P2P6OiP1P?P2OgOhOmP8OmP=P6P3O[ObOoP8OhP5P6P5OlOjOnOiOjP0P;OkPDOiOiP0P5P0OlP6P3P5OcP3";
     "OoO]OYO^OfP4OoO^P>OlOjP4P>OgP;OlP?P1P<OgP8P0OmOXO[OnP1P1ObOoP6P3P4P2OiP7P7O[P1P4O^P0P3P5OdP9P;OoP3P9OfO\OkP9P2OmP8P6OiOeP1P5OcO_";
     "P;O]OoO[P=P7P<P8P@P9P5PEOeOnOjP;OmOeP<OdP:P5P3PCOnOhP5OnP3P?OmOoObP>P:OkOoOhP>P7P<P3OcOlP<P3OaP7PAP2OoOaOgOnPHP0OcOkP:P4P>OlOkP0";
     "OlP7P:P5P5PGOiP0OfP2P2O[P:ObOhOjOmOjO^OdP3P3P2P<OoP;P:OjP?P5OnOhObP7OkO`P4OlOeP7OfP2OjP3P>ObOoOdOoP0OmPDPNP>OcP;OaOkP0P@P0P0OjP3";
     "O`OeP3OmPBOiP=P0O]P2P:OaP1O_P@P=P5OgOnP:O_O_O`OdOlO^OgOoP8P5OjP;P6OgObP<OoPCP0OgP5P3OjP2P6OcP7OeOkOcOnP0P0OfOmP<P0P;OfP9OmOmP0Oa";
     "OjOmObObP1OiPDO\P?PAP0OZOiOaP0PDP8P>P:P2OhP1OiOhOjP4P5P0O`P=OmP3P1OfP1P=O`OjP1OoP4P2P1OWO\OlP6P2P9OoOmP7OnOcOkP9OjP=OkOnOoO`OkOg";
     "OeOmOnP<OdP=P4OeOmOmP6OjOlOaOlP0ObOmOoOhOnP5OkOaP3OeOjOgP4PEOnOnP:OfP3OiOmP5P3OkOdOgOkOdP@P3P7PBOmP1P0P1P:P6OfP2OfOkOnP;P6P8OeOb";
     "P1OmP:P2O_OZOiP?OaOlP@P4P1P4OmOgOkP6P2OkPAOoP:OgPBP5P8OkP@OjOgP1O`OdP@P4P4P2OdPCOdOjOnP8OnOgP3P<OiOkP9PCP4OoOlOfOlOjOfP5O`P2O\Oo";
     "P6P4P7OjOdP3OcOdP2P3P5P0OiOkP0OgP8P3P4OlP6P3OiP0P8OdP9P>OoP2OjP>OjOoP7PAP6P0OlOmP6P2OnP?OhP;OiPCP<PFOoOeP1P=P1OeOhOdP0PBOoOiOgP4";
     "P1OgP<OfOkP9P6P@P<O\P3P=OlO^O\O`P?OmOoP9P8P:P7PCOgP8OoOkP@OgP5P=OcOkOlOiP=P>P0OiOoP1O]P8P2P5P:PGOgP1OnOnP3OnOkOeOmOZP6P;P8P1OnP4";
     "P1P6O_ObOaOmObOcPDO_OcP6OnP4PFOmP9P;P5P5P0OlP=P0ObP8OaOoOjOaP6OlP5OiOmP=PBP6O`O`OhP<PCPAOaP:OoP>OkP8P7OlP@P4P?O`P2P:P7OeP2OhOdP1";
     "P2OhP7P5P8PBOgOhP;P>P9P7ObO[OgP3P3OnP4P4P2P3P8P9O]P;P5OcP@P3OjO^OgOfOcOWP5P0PFP6OoOkOhP2OnP>OnOoP6OoP=P1OjP@P5OnOjO]OmOnPHP1PCP0";
     "OiP1P3P3O]O]OfOUP4OfO[P?P1PDP<OoP2OlO\P=P9P3OnP1P4OgO]PCOfOgP5O_P4PHOhP9OkP2OcObP9P2P9P@O]P=OfOaOfP9P0P6P0O[P7OYPDP=P1OlP<OcP4P2";
     "O]P4P<OlPEOfOdP5OgOnOhP6OfP2P?P8P@P7OhP8PCOiP2P0P:P0OmP9OiOePAP6P=OdP@PHO^P2OlP?PHP;P:P3OmP>P1P?P1ObP5P:OkOeOeO]OcP=P8P<OoOjP0O^";
     "OkOhOROlP5PBO_OcOnO^OoPAP8P1PAP7P7OmPDO_OnOeP3OfOkP9OgOiP7P>OgP6P3O^PBP0P0P8P<P=OjP4O^P2P3PFP8P9P7OeOoOgOnP8P6O\P3OjP6OiOoP5OlOj";
     "P7P@OdP0P5P=O`OkPEP6O`OcP2OVOoOdOfP2OkP8OcOoP5P7P0O\OiOkP2P:OeP6OeOcOZOfPFPHP;OcP4OmOfOjP@OmPDP:OmObOmP3OoOoOfO]P0OfOhOeP8P>OePH";
     "P3P2OoP0P4OjOoOhOjP3OcP7OkOkOfOlP0P7P9P<P1P:P3P0P9ObP0OnOlOUOgOmP:P6OlPEOYO`OgP1P3P>P6P?P3OlOfP2OgP6P4P;OoOcP4OlP9P4OoOjP1OgP0P4";
     "P5P1OfP5OfP2OdP1P4OjP3P4P=P0OlP2P3OgOkP5PAP@P0OhOmP0ObOlOiP0OjP5OeP9OgOhOnOfOaOlOmP0P5PDOkOeOaP7P<P4OoP>P@ObP7O[P2P:P5OnOnOoOkOl";
     "P5P8O`OoOkOlOaOlOlP2OQO_P1OhOiP8P7P0P7P=OhP?P1OoOjOfP4OlP=P8P2P2P2P;OaP:P?OkP3OiOlO_P<P5OkOlP2P1OhP4OVOaOgP8P5OfP5P3P:P:OcP1OdP8";
     "OnP?OiP<OcP0P0P?OjOlOmP=OiP1OfOlP2OmOhOiP8P>OmOhOeOlP3OZP>P4P1OiOkP5P6P2P?P6P5OnOmOiOlOcP:ObOdPAOiOgOeOlP3PDO]OhOeOaOiP2P9P4OiP7";
     "OgOnOiOjOeP6OjO[OlP=P;P2P=P>P9P4OkPBPDO^OgP3P:P0ObP;P=P1OnP;OlOeP2P2OfP<ObOiOnO`O^P1P2OkOiOgP4O_P8P5OcOmOeP5P6P7P8P3P8OnOiP3OlP4";
     "PAP8P3P2OkP9OhPIP6P:OjOlOoOGOcOdOgOgO`P>OfOjOaPGOkP5OlP;P<P8OoP9OfP0P;O`P:P<P5P<OjP2O_P;P6PDP2P8PHOkP5OlP:OoOmOjO`OYOgP0PCOjP3P4";
     "P2P1P8P5OkP7P1OlOiP=P2O\OlP1OoP>P2OlP>OhP3OdOcOfO\OfOoOgP<P5P<P6P@OgO[OmOdP8P7OdP3OaOgP4OhOnOjOfOlOfP2OlP3P<P0P7P8P1P<OlObP2P:P0";
     "PJOnP6PCP3O_P4OoP1P4O^P3P0O`ObP>P6P1OmP9OlP5OoP?OkOlPBOoOoOhObP7P<P=OYP4P3P3P>O\P>P@P8P3OlOeOfOYP5P6P3P2OdOdP1OoP?OiOmP7ObOfOjP5";
     "O^OlP5OnOaP>OgP5OcO`P1OoOoP3OoP7OmO`P4P3PGOiOjO[P2OiP1OhP;PEP2OoOaOdP;P6O]OeP4P:P=OhOcP6P5P9P3PBPKOgP;P0OfP3O[P:OgOkP4P1OjP1OhOc";
     "OlP9P2P;P6PIO^OiP;P2P8OoP2P4P4OeP0OnOnOlOcOoOnOoP0P1P9OjP9OeOnP2OmOcOnP9OfP0P6OmOmOkOkP1OnOkP<OmP7P<OnP7OlOjOeP1OjObOhOiP5OkOnP1";
     "OeOkOlOiOmP0OeOaP1OaOcP:P=P>PDP5PCP<P1OoP2OiOhOZOlP=O]OoObOWOjOjOdOhOnP?O`PCP:P>OkP@OoP7OaP:P9P1OkPJOmO`OfOnP@OnP@P=PGOiOmOlP2P9";
     "OkP0P6OjP5P0OeOjPEP=OoP:OhOaP5P7P7P1P>PEP4OfP3P1O`PHOoP9P<P4P8OcOfOoP<OXP8P>P6PBP:OkOfOdP7P8P8P;PFP<P1OkOgOcP:OfOfOnP1OkP6P0OjP5";
     "P6P;P3P?PDOcP<PBOeP4OoP5OcOnOiP3OiP1OaP;OcOmOdP1P=O\OfOWP4OaOiOgP7P:OiOnP8P;OjO^P9P4OlOiP?OoP6ObOdOWP>OmP7P5OnP4P4O]O_P4OjO^PLP<";
     "OoP5PIP4OiP6OhPKOoP9P=P3OgOlP:OnP0OoPKOaP9OoOfOoOhPFP2OfPAPSP1P:OYP2P5P3OoP6P5PPPEOfOhOROlP<P=P:P=P5P:P9P3O^OcP1P5OcP9P3P<OdOoO]";
     "OgP3P7P6OjO^P6OiOmP3P4P<P=P2P;OnP7P2OkP8P:P4P>P?P2P8OdP7OaOiP4P7P9P2P8P1OeOaOfP9OnOjPDPCO\P6P4OjOfP>OkOfP7ObOmOhP7PEP6OlOoOhOnOb";
     "OSP=OfP2OhP9OnP@O_P2P5OkP8OiP5P4OmP7OnOeOhOeP5O_P0OdOnOcOmOjOcP3ObP7P0P1OhP4OfOkOfOlP6OdO\OcP0OnOlP0P6OlP:PHOdP9OlP2OgOkOlOkOoOm";
     "OnP2OcOlP;P3P5OnOmOiOaOlP=OcP<P8P7OnOfP;O`OgP4OdOjOkOoP;ObP<P>P1P0P9OaOePBOmOgOeOfPDP>P@P9OjOmOkO]OcOkOoOnP6P2OoP<P6P4OiOnP=O`P?";
     "P6OZOoP3OkOfP7P1OlP2OmOhPEOiP3OoOiOoP9ObOlP2P=OiP0O^P>P8OhOcOkP4OkOkO`P2O^ObP<P:OjOkP3P3OhP7P3OhP8OoP9P0P7P5P0P;P0P7OnOnP7OkP7P5";
     "P=P1P0P4P6P>OnP2OnP0OeP;P3P9P2OiOdOmP;ObP0OjOmOmP0OhO`P9OjOmOgOfOkP1OjOlOhOkOdOdP5OjP;OmOeOnOgP1P6P;P3OgP>P5P4OgOlP8P<P8P7P4OiOo";
     "P4P7OlP=P9P2PBPAOnP6P6OkOnOfOdPCOcOoOjP>OlP7P3PAPAOXP6OmP;OVOlOXP6PDOaP4P2P6P3OgP>P4P0P0P2OdPHO\OnOlP5P=P2O^P0OoP3P1OjP;OlOoP?P=";
     "P8OiOcOZOkPDP0ObP:P9P4OfO[O]ObOmOlP2P4OgPBOlOnP0O[OnOiObP0PAP1ObO_O\OlO_PMP2P9OoP=OcO`P0P=P1OgP=P?OkOmOgP9OnP?P4P>OXP8P:P3OnOlP6";
     "OgP7OOP5OgP?P4P2O_OoOkOoP?P?P7O]OeOkP6OeP2P4OnP4P3P4OgOjOhP1OhPBOoOiP8OcP;OlOgObObP1P8P2OjOoOaP1OiP2O`P7P6PDO`OnOhOPO_P4P3P2OcOk";
     "P9OhO[P:P7P<PKOjOkPFP4OdOnObP2P4OoP9P7P2OeOlO^OoOfOZP5OcP2P@P0OhPEP5OTOdP;P1P4OgOnOjOcOgOhO_P8OaOhO^P=OfOeP5OmP5OiOjP2OjP7P5P:PA";
     "P?OjP9O^O`P1OgP2P=OdP5P;O`PKP0OmP7OhP7P4P8OdP7OoP2P>OnP8PAP0OnOnOlOcP8P=OmP:OgPFOdPIOhP4OfP6OoP5P?P>O`PEP7OnOVOoOiOoP6P8OfO]OXOf";
     "P>P9P8P7P;OgPBP:OhP0P0O`P0P<OlP2OlP5P7P;P0OhP:OlP2OdP>OiP3O_OmP0P7P0P3OgOfOfOkP;P2OhOkOoOiOoO`P4OhObP3P1P0OmOlOgOlOeOkOgPAP0OmOm";
     "OgO^P2P4P@OfOnOiOmPEP;P3OaP1P5P2P:OmP<OmP;P0OjO^P4PBOeP>OaP>P5OaPAO]P9P8OaObP0P<P8OmP<OnP3OoOnOnP<OfP;P0P2OkP3P8P7P2P5OfP8OdPDOn"];
     bias := fractions 6 1 "LSYPSVPJTQSTSSIPLSPWTPISOJTSQLMOTQKOUXMLQPPPTMQPVXQRLPUPPMUIWPMS" |};
  cell_memory := {| written := {| weight := rows_of 6 1 ["EO<FF>gU>\E8Q@=H_FCQAO[GRXS:?3ZVA]K6TfJVQ_UWMTUT3\\GRKZL;XNM2K[;";
     "YHUEEG[@fN6>ZEmNWU\EFXTEKXgKFGH]M<@d@Ef]6BAdEWaSFBRiRVWACbID<\`J";
     "585\^SaTfgfIcAFJ]27I`QERO^<85RGaY;NL\<_XE@6bRE:HNH32=5bMM2YNc>Y6";
     "MgZ3QLd@RSIC<HTiYXl:K9\UP]DFHKa<D]6?bDJRFS`6a@ST>g=ZUj9^Y=VG^4ZM";
     "OMNQ3H_5]RPW3NG6^gNcG<XE9S_H_RKGI@]O^W=B?[7<T==oGC`Je8]Y6J:^U@`^";
     "Of^Zj^^F\Q_KGFQ^ZTGIEEUNeHaG[EHHM\FLjm`fDQOhOJWT=gZR<ffOGZ\HYLbN";
     "O3Y^?:ML9MJW_GUKUUZQOaZNR?Q<[RK4cSjRLA@P_IYK97GTb2BBZUF7Z@>SB\VN"];
     bias := fractions 6 1 "IMKPNRJ" |};
    recalled := {| weight := rows_of 6 2 ["OoPUP1OTO^PNOQ";
     "OTP9OXO6O_O\PN";
     "PQP4PUOeOgP1O6";
     "OnPEP[P;OjOPOc";
     "OiOePTOeOMPQP6";
     "P?PRNmPgOnOoP[";
     "OEOTPXP8NfO_PD";
     "PRP;P@OWOLOlO]";
     "PCPbOXP;P9PWO<";
     "OfO`PEPiONP=O_";
     "P6O\P4PZOKOfO^";
     "P=P4OcO_PHOkOE";
     "OXP4OlP0PFO[P6";
     "P4NmP6O^PEOgOj";
     "P9OQOjP1PMOlP[";
     "P1O`PDPSOoPFPX";
     "OjP:P8OXPnQ1Oo";
     "OVOcPIOPPPPTP\";
     "PIO\OnPoP=P?P2";
     "OcPBPAO@P3PHOZ";
     "PIOeOcP3P0P9O>";
     "OKOeO_PKOTOFO^";
     "OfOkO^O_P:O`OQ";
     "OgP`P;OZP0OiO9";
     "OfO\PBOFO]O_OA";
     "PlOUO3P[PGOQNf";
     "OVP1ObPQOFOoOF";
     "OkO`OlObP@P7OX";
     "PCPPOWOYOFOmOo";
     "PAOYOOP4OTP?Pj";
     "P[OaP:OgP@PXOb";
     "P8OdONO>OeO=Oo";
     "OIOZPkP5P7P;P;";
     "OKP6P@OYO^O^OL";
     "P`ORO]OWP7OmOd";
     "P6OIPHObPbP1Od";
     "OoPfOdO]OjOhOo";
     "PDPVP0O=P8P@PS";
     "P9PIP>P[OdPLOg";
     "PdOEOUOiP4P;OG";
     "PHP<PfP4O\P=OM";
     "OZOgOmNePQPVOe";
     "OhO^PJOkP\OZPD";
     "OZP4OiOcPGOnOD";
     "PEPIP6OoOVPAPM";
     "P<O`O_P5P3POO^";
     "PEOePOOdP8P=Pk";
     "PfO`O1OTOfP<Oa";
     "PTP0OeP_OdPPNn";
     "ONObOMPAPKP2O7";
     "PHP1PTPJOaOZOY";
     "PQOdP<O>OeOHOe";
     "PFP1P4P6OhORP2";
     "OTOmOAOnOWP7P5";
     "OPP@P5PYPCP=OO";
     "P5OiPZP[OROVPS";
     "ONP8P:P1PVP<P0";
     "OXOFPQP1PLP9PQ";
     "P>OgP6P8PUPSOb";
     "P;OoOhOhObO\Oc";
     "PDPGP4O_OXPdO]";
     "P0PTOMOiP3OIP6";
     "OlOgQ?P\OQP7P4";
     "OTP_OlOdP0P2Oe"];
     bias := fractions 6 1 "IQSQSWKRRQWNOQLTRRTPNOSOOWLLRVQLMSKLWVSNJJGOLOSNWTYRNNOTITONMUQH" |};
    on := Qmake 1 1; off := Qmake (0) 1 |};
  read_out := {| weight := rows_of 6 1 ["f<gLeV6]jKTLLJ5\U\lckN[XPU[U@Oc>GU:Z9UjLIOIRLVMRdNMW;Ue>`B\Lk;OQ";
     "2_4P?]aG?DGIbLgY@ZIA7ia6EZH@eaLiFgG:ZYQ?HBkCPTjW2:MVecC\KbPO;`D9"];
     bias := fractions 6 1 "UK" |}
|}.

Definition codes : list code :=
  map (bits 7) (numbers 2 "01060:0B0R12").

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
