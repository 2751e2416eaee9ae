FROM <image>
WORKDIR /workspace
COPY . /workspace
RUN chown -R 42420:42420 /workspace
ENV HOME=/workspace
[command] CMD <command>
