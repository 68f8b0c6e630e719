
(* A stack of affine layers of any depth and any widths is one affine layer *)
Section Collapse.
Variable R : comRingType.
Inductive net d : nat -> Type :=
  | First m : 'M[R]_(d, m) -> 'M[R]_(1, m) -> net d m
  | Then k m : net d k -> 'M[R]_(k, m) -> 'M[R]_(1, m) -> net d m.
Fixpoint run n d m (X : 'M_(n, d)) (f : net d m) : 'M_(n, m) := match f with
  | First _ W b => X *m W + ones R n *m b
  | Then _ _ f W b => run X f *m W + ones R n *m b
  end.
Fixpoint weight d m (f : net d m) : 'M_(d, m) := match f with
  | First _ W _ => W
  | Then _ _ f W _ => weight f *m W
  end.
Fixpoint bias d m (f : net d m) : 'M_(1, m) := match f with
  | First _ _ b => b
  | Then _ _ f W b => bias f *m W + b
  end.
Theorem collapse n d m (X : 'M_(n, d)) (f : net d m) : run X f = X *m weight f + ones R n *m bias f.
Proof. by elim: f => //= k p f -> W b; rewrite mulmxDl mulmxDr !mulmxA addrA. Qed.
End Collapse.
