docker build --platform linux/amd64 --tag "$YOUR_IMAGE" .

docker push "$YOUR_IMAGE"
