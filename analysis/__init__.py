"""What a match says: statistics with error bars, log verification."""
