(** Words, automata, languages and the tree of a network: what the theorems speak of.

    This file has definitions alone. Whoever reads it and the statements in [Theorems.v] knows what
    is claimed; the checkers and their proofs need not be read. *)

From Coq Require Import List NArith Arith.
Import ListNotations.
Local Open Scope N_scope.

(** * Words and automata *)

(** A symbol is a number below the size of the alphabet. *)
Definition word := list N.

(** A complete automaton with a class on every state. *)
Record automaton := { start : N; next : N -> N -> N; class : N -> N }.

(** The state that a word leads to. *)
Fixpoint run (M : automaton) (state : N) (w : word) : N :=
  match w with
  | [] => state
  | symbol :: rest => run M (next M state symbol) rest
  end.

Definition class_of (M : automaton) (w : word) : N := class M (run M (start M) w).

(** A language gives words their classes; its domain has the words that are asked. *)
Record language := { num_symbols : N; answers : automaton; domain : automaton }.

Definition is_word (L : language) (w : word) : Prop := Forall (fun a => a < num_symbols L) w.

Definition in_domain (L : language) (w : word) : Prop := class_of (domain L) w = 1.

(** * The tree of a network

    Elements are numbered from 1; 0 is the pad. The symbol [a] is the element [a + 1] of level 0. *)

(** The table of one level: what a chunk of elements becomes on the next level, in the interior of
    a word and at its left edge, and the class that is read off an element of the next level's
    edge. [None] where the table has no entry. *)
Record table := {
  interior : list N -> option N;
  edge : list N -> option N;
  reading : N -> option N
}.

(** The tables of a network with chunks of [chunk] elements. After the last table, those from
    number [repeat_from] on are used again and again. The class of the empty word is read off
    without a table. *)
Record tree := {
  chunk : nat;
  tables : list table;
  repeat_from : nat;
  empty_class : option N
}.

Definition no_table : table :=
  {| interior := fun _ => None; edge := fun _ => None; reading := fun _ => None |}.

(** The number of the table that follows table [number]. *)
Definition following (T : tree) (number : nat) : nat :=
  if (S number <? length (tables T))%nat then S number else repeat_from T.

(** The number of the table of a level. *)
Fixpoint phase (T : tree) (level : nat) : nat :=
  match level with
  | O => O
  | S below => following T (phase T below)
  end.

Definition table_at (T : tree) (level : nat) : table := nth (phase T level) (tables T) no_table.

(** Cut a list into chunks of [C] from the right: all but the first have [C] elements. *)
Fixpoint chunks {A} (C : nat) (nodes : list A) : list (list A) :=
  match nodes with
  | [] => []
  | x :: rest =>
      match chunks C rest with
      | [] => [[x]]
      | first :: others =>
          if (length first <? C)%nat then (x :: first) :: others else [x] :: first :: others
      end
  end.

(** Fill the first chunk with pads, on its left. *)
Definition padded (C : nat) (first : list N) : list N := repeat 0 (C - length first) ++ first.

(** All of them, or nothing if one of them is missing. *)
Fixpoint all_of (found : list (option N)) : option (list N) :=
  match found with
  | [] => Some []
  | one :: others =>
      match one, all_of others with
      | Some x, Some xs => Some (x :: xs)
      | _, _ => None
      end
  end.

(** One level of the tree: the first chunk is at the edge, all others are in the interior. *)
Definition level_up (C : nat) (t : table) (nodes : list N) : option (list N) :=
  match chunks C nodes with
  | [] => Some []
  | first :: others => all_of (edge t (padded C first) :: map (interior t) others)
  end.

(** The first [levels] levels. *)
Fixpoint climb (T : tree) (levels : nat) (nodes : list N) : option (list N) :=
  match levels with
  | O => Some nodes
  | S below =>
      match climb T below nodes with
      | Some found => level_up (chunk T) (table_at T below) found
      | None => None
      end
  end.

(** max(1, ceil(log_C length)): the least number of levels, but one at least, with
    length <= C ^ levels. *)
Fixpoint depth_from (fuel C length levels : nat) : nat :=
  match fuel with
  | O => levels
  | S fuel => if (length <=? C ^ levels)%nat then levels else depth_from fuel C length (S levels)
  end.

Definition depth (C length : nat) : nat := depth_from length C length 1.

(** The class that the tree gives to a word: [depth] levels, then read off what is left. *)
Definition tree_class (T : tree) (w : word) : option N :=
  match w with
  | [] => empty_class T
  | _ =>
      let levels := depth (chunk T) (length w) in
      match climb T levels (map N.succ w) with
      | Some [root] => reading (table_at T (pred levels)) root
      | _ => None
      end
  end.

(** * Networks that read symbol by symbol *)

(** A table says which code follows a code and a symbol, and which class is read off a code. *)
Record recurrence := {
  first_code : N;
  next_code : N -> N -> option N;
  code_class : N -> option N
}.

Fixpoint code_after (R : recurrence) (code : N) (w : word) : option N :=
  match w with
  | [] => Some code
  | symbol :: rest =>
      match next_code R code symbol with
      | Some after => code_after R after rest
      | None => None
      end
  end.

Definition recurrence_class (R : recurrence) (w : word) : option N :=
  match code_after R (first_code R) w with
  | Some code => code_class R code
  | None => None
  end.
