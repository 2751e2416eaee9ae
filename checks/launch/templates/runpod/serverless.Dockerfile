FROM <image>
WORKDIR /
COPY builder/requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY src/handler.py .
CMD ["python", "-u", "/handler.py"]
