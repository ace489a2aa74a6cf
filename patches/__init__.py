"""What is changed in ExecuTorch for Muse Glimmer, and the proof of it: see README.md."""
