(** Data of a certificate: numbers as text, and functions from rows of numbers.

    Certificates have up to a million numbers. Coq reads text much faster than lists of numbers,
    so numbers are written in base 64, with as many digits each as the largest one needs. The
    digits are the 64 characters from 0 to o, in the order of ASCII; 0 to 9 mean themselves. *)

From Coq Require Import List NArith Strings.Byte FMapPositive.
From Lengthwise Require Import Words.
Import ListNotations.
Local Open Scope N_scope.

Declare Scope text_scope.
Delimit Scope text_scope with text.

Inductive text := Text (bytes : list byte).
Definition text_of (bytes : list byte) : text := Text bytes.
Definition bytes_of (t : text) : list byte := match t with Text bytes => bytes end.
String Notation text text_of bytes_of : text_scope.
Bind Scope text_scope with text.

Definition digit (b : byte) : N := Byte.to_N b - 48.

(** Read numbers of [width] digits; [left] digits of the present one are to come. *)
Fixpoint read (width left : nat) (number : N) (bytes : list byte) : list N :=
  match bytes with
  | [] => []
  | b :: rest =>
      let number := number * 64 + digit b in
      match left with
      | S (S fewer) => read width (S fewer) number rest
      | _ => number :: read width width 0 rest
      end
  end.

Definition numbers (width : nat) (t : text) : list N := read width width 0 (bytes_of t).

(** * Arrays *)

Definition array (A : Type) := PositiveMap.t A.

Definition get {A} (a : array A) (i : N) : option A := PositiveMap.find (N.succ_pos i) a.

Definition put {A} (i : N) (x : A) (a : array A) : array A := PositiveMap.add (N.succ_pos i) x a.

Fixpoint array_from {A} (i : N) (xs : list A) : array A :=
  match xs with
  | [] => PositiveMap.empty A
  | x :: rest => put i x (array_from (N.succ i) rest)
  end.

(** The array with [xs] at 0, 1, 2, ... *)
Definition array_of {A} (xs : list A) : array A := array_from 0 xs.

Definition at_ {A} (default : A) (a : array A) (i : N) : A :=
  match get a i with Some x => x | None => default end.

(** The function with these values at 0, 1, 2, ..., and 0 elsewhere. *)
Definition vector (values : list N) : N -> N := let a := array_of values in at_ 0 a.

(** The function of two arguments with these rows. *)
Definition matrix (rows : list (list N)) : N -> N -> N :=
  let a := array_of (map array_of rows) in
  fun i j => at_ 0 (at_ (PositiveMap.empty N) a i) j.

(** 0 stands for nothing. *)
Definition some (n : N) : option N := match n with 0 => None | _ => Some n end.

(** * Tables of chunks

    A row has the first [C - 1] elements of a chunk, then what the chunk becomes if its last one is
    element 1, 2, 3, and so on; 0 stands for nothing. *)

Fixpoint trie (depth : nat) : Type :=
  match depth with
  | O => array N
  | S below => array (trie below)
  end.

Definition no_rows (depth : nat) : trie depth :=
  match depth with
  | O => PositiveMap.empty N
  | S below => PositiveMap.empty (trie below)
  end.

Fixpoint put_row (depth : nat) (row : list N) : trie depth -> trie depth :=
  match depth return trie depth -> trie depth with
  | O => fun _ => array_from 1 row
  | S below => fun t =>
      match row with
      | [] => t
      | x :: rest => put x (put_row below rest (at_ (no_rows below) t x)) t
      end
  end.

Fixpoint look_up (depth : nat) : trie depth -> list N -> option N :=
  match depth return trie depth -> list N -> option N with
  | O => fun t children =>
      match children with
      | [x] => some (at_ 0 t x)
      | _ => None
      end
  | S below => fun t children =>
      match children with
      | x :: rest =>
          match get t x with
          | Some found => look_up below found rest
          | None => None
          end
      | [] => None
      end
  end.

(** What the chunks of [C] elements become, by rows. *)
Definition from_rows (C : nat) (rows : list (list N)) : list N -> option N :=
  let t := fold_right (put_row (pred C)) (no_rows (pred C)) rows in
  look_up (pred C) t.

(** The classes of elements 1, 2, 3, and so on, each with 1 added; 0 stands for nothing. *)
Definition from_classes (classes : list N) : N -> option N :=
  let a := array_from 1 classes in
  fun x => match at_ 0 a x with 0 => None | c => Some (N.pred c) end.

(** * Automata and pairs *)

(** The automaton on states 0, 1, 2, ... with these rows of next states and these classes. *)
Definition automaton_of (start : N) (rows : list (list N)) (classes : list N) : automaton :=
  {| start := start; next := matrix rows; class := vector classes |}.

(** Two numbers after two numbers. *)
Fixpoint pairs (flat : list N) : list (N * N) :=
  match flat with
  | x :: y :: rest => (x, y) :: pairs rest
  | _ => []
  end.

Fixpoint triples (flat : list N) : list (N * (N * N)) :=
  match flat with
  | x :: y :: z :: rest => (x, (y, z)) :: triples rest
  | _ => []
  end.

(** Pairs with the state maps in place of their numbers. *)
Definition with_maps (maps : list (list N)) (numbered : list (N * N)) : list (N * list N) :=
  let a := array_of maps in map (fun '(e, i) => (e, at_ [] a i)) numbered.

(** What codes and symbols become: a row for each code from 0, with 1 added; 0 stands for nothing. *)
Definition steps_of (rows : list (list N)) : N -> N -> option N :=
  let f := matrix rows in
  fun code symbol => match f code symbol with 0 => None | c => Some (N.pred c) end.

(** The classes of codes 0, 1, 2, and so on, each with 1 added; 0 stands for nothing. *)
Definition classes_of (classes : list N) : N -> option N :=
  let f := vector classes in
  fun code => match f code with 0 => None | c => Some (N.pred c) end.
