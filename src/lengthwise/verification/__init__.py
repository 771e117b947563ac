"""Is a trained model right at every length? The finite algebra it computes, and proofs about it."""
