# Hugging Face: huggingface_hub and Kettle download a repository from hub.py.
mkdir -p "$home/model/onnx"
for number in 1 2 3; do head -c 8000000 /dev/urandom >"$home/model/part-$number.safetensors"; done
head -c 3000 /dev/urandom >"$home/model/onnx/model.onnx"
for number in $(seq 1 50); do echo "$number" >"$home/model/token-$number.txt"; done

port=$(free_port)
start hub.py "$port" python3 "$here/hub.py" "$port" "$home/model" 20
export HF_ENDPOINT="http://127.0.0.1:$port"

if install huggingface_hub huggingface_hub; then
  "$python" -c 'import sys; from huggingface_hub import snapshot_download
snapshot_download("org/model", local_dir=sys.argv[1])' "$home/by-hub" >"$home/logs/huggingface_hub" 2>&1 ||
    fail "huggingface_hub cannot download from hub.py: $(tail -3 "$home/logs/huggingface_hub")"
  rm -rf "$home/by-hub/.cache"
  expect_same huggingface_hub "$home/model" "$home/by-hub"
fi
compare hugging-face hf://org/model "$home/model"
