kubectl apply --filename pod.yaml
