"""What tests share: sample inputs and references."""
