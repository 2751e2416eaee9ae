FROM <image>
RUN useradd -m -u 1000 user
USER user
ENV HOME=/home/user PATH=/home/user/.local/bin:$PATH
WORKDIR /home/user/app
COPY --chown=user . /home/user/app
EXPOSE 7860
[command] CMD <command>
